#ifdef __linux__

#define _GNU_SOURCE

#include "CSandbox.h"
#include "Walls.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// By number, as the headers of an older system know fewer of them than the kernel that runs.
// Source: the kernel's userspace-api/landlock, and its system call table, the same on every machine.
#define CREATE_RULESET 444
#define RESTRICT_SELF 446
#define ASK_VERSION 1u

#define READ_FILE (1u << 2)
#define READ_DIRECTORY (1u << 3)

/// What the kernel takes; an older one takes only the first fields.
struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};

int csandbox_landlock_version(void) {
  long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
  return version < 0 ? 0 : (int)version;
}

/// All rights over files that a version knows.
static uint64_t file_rights(int version) {
  int count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (1u << count) - 1;
}

int landlock_restrict(int reads) {
  int version = csandbox_landlock_version();
  if (version < 1) return -1;
  struct ruleset ruleset = {.files = file_rights(version)};
  size_t size = sizeof ruleset.files;
  if (version >= 4) size = offsetof(struct ruleset, scopes);
  if (version >= 6) size = sizeof ruleset;
  if (reads) {
    ruleset.files &= ~(uint64_t)(READ_FILE | READ_DIRECTORY);
    // Once: every layer that names the scopes makes a new one.
    if (version >= 4) ruleset.network = 3;
    if (version >= 6) ruleset.scopes = 3;
  }
  // A ruleset without rules allows nothing of what it names.
  long descriptor = syscall(CREATE_RULESET, &ruleset, size, 0);
  if (descriptor < 0) return -1;
  long result = syscall(RESTRICT_SELF, descriptor, 0);
  close((int)descriptor);
  return result == 0 ? 0 : -1;
}

#endif
