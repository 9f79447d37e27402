#include "CAllocations.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_bool counting;
static atomic_int_fast64_t count;
static atomic_int_fast64_t held;

void allocations_start(void) {
  atomic_store(&count, 0);
  atomic_store(&held, 0);
  atomic_store(&counting, true);
}

void allocations_stop(void) { atomic_store(&counting, false); }
int64_t allocations_count(void) { return atomic_load(&count); }
int64_t allocations_held_bytes(void) { return atomic_load(&held); }

#if defined(__GLIBC__)
#include <malloc.h>

// The program's own malloc comes before the C library's, for all libraries of the process.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

bool allocations_can_count(void) { return true; }

static inline bool is_counting(void) {
  return atomic_load_explicit(&counting, memory_order_relaxed);
}

static inline void *counted(void *block) {
  if (__builtin_expect(is_counting(), 0) && block) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    // The block and the header before it.
    atomic_fetch_add_explicit(
        &held, (int64_t)(malloc_usable_size(block) + sizeof(size_t)), memory_order_relaxed);
  }
  return block;
}

static inline void uncount(void *block) {
  if (__builtin_expect(is_counting(), 0) && block) {
    atomic_fetch_sub_explicit(
        &held, (int64_t)(malloc_usable_size(block) + sizeof(size_t)), memory_order_relaxed);
  }
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *block, size_t size) {
  uncount(block);
  return counted(__libc_realloc(block, size));
}

void free(void *block) {
  uncount(block);
  __libc_free(block);
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = memalign(alignment, size);
  return *block ? 0 : 12;
}
#else
bool allocations_can_count(void) { return false; }
#endif
