// What Embedded Swift needs of a C library, for a WebAssembly module without one.
// The allocator keeps a free list for each power of two; a block knows its list.
#include <stddef.h>
#include <stdint.h>

#define SMALLEST_SHIFT 4
#define LISTS 28

typedef struct Block {
  struct Block *next;
} Block;

extern unsigned char __heap_base;
static uintptr_t heap_end;
static Block *free_lists[LISTS];

static unsigned list_for(size_t size) {
  unsigned list = 0;
  while (((size_t)1 << (list + SMALLEST_SHIFT)) < size) list++;
  return list;
}

// The 16 bytes before a block's content hold its list.
void *malloc(size_t size) {
  if (size > (size_t)1 << 30) return 0;
  unsigned list = list_for(size + 16);
  if (list >= LISTS) return 0;
  Block *block = free_lists[list];
  if (block) {
    free_lists[list] = block->next;
  } else {
    if (!heap_end) heap_end = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    uintptr_t start = heap_end;
    uintptr_t end = start + ((size_t)1 << (list + SMALLEST_SHIFT));
    uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) << 16;
    if (end > have) {
      size_t pages = (end - have + 0xffff) >> 16;
      if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return 0;
    }
    heap_end = end;
    block = (Block *)start;
  }
  *(unsigned *)block = list;
  return (char *)block + 16;
}

void free(void *content) {
  if (!content) return;
  Block *block = (Block *)((char *)content - 16);
  unsigned list = *(unsigned *)block;
  block->next = free_lists[list];
  free_lists[list] = block;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment > 16) return 22;
  *result = malloc(size);
  return *result ? 0 : 12;
}

void *memmove(void *to, const void *from, size_t count) {
  return __builtin_memmove(to, from, count);
}

void *memcpy(void *to, const void *from, size_t count) { return memmove(to, from, count); }

void *memset(void *to, int value, size_t count) { return __builtin_memset(to, value, count); }

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *l = left, *r = right;
  for (size_t i = 0; i < count; i++)
    if (l[i] != r[i]) return l[i] - r[i];
  return 0;
}

__attribute__((import_module("page"), import_name("random")))
void page_random(void *to, size_t count);
void arc4random_buf(void *to, size_t count) { page_random(to, count); }

int putchar(int character) { return character; }

uintptr_t __stack_chk_guard = 0x2f6e3a51;
void __stack_chk_fail(void) { __builtin_trap(); }
