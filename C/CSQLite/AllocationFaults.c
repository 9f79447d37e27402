/*
 * Allocations of SQLite that fail on purpose, for tests: each thread has its own. It must be
 * installed before SQLite is used in a process, and is not there otherwise.
 */
#include "CSQLite.h"

static sqlite3_mem_methods system_methods;
static _Thread_local long until_failure; /* 0: none fails */
static _Thread_local int failures;

static int is_to_fail(void) {
  if (until_failure == 0 || --until_failure != 0) return 0;
  failures++;
  return 1;
}

static void *allocate(int size) { return is_to_fail() ? 0 : system_methods.xMalloc(size); }

static void *reallocate(void *memory, int size) {
  return is_to_fail() ? 0 : system_methods.xRealloc(memory, size);
}

int reunion_allocation_faults_install(void) {
  int status = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_methods);
  if (status != SQLITE_OK) return status;
  /* Where SQLite was not told of another one, its own is not there before it starts. */
  if (system_methods.xMalloc == 0) {
    status = sqlite3_initialize();
    if (status == SQLITE_OK) status = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_methods);
    if (status == SQLITE_OK) status = sqlite3_shutdown();
    if (status != SQLITE_OK) return status;
  }
  sqlite3_mem_methods methods = system_methods;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void reunion_fail_allocation(long number) {
  until_failure = number;
  failures = 0;
}

int reunion_allocation_failures(void) { return failures; }
