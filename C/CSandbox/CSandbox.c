#define _GNU_SOURCE
#include "CSandbox.h"

#ifdef __linux__

#include "Walls.h"

#include <sys/prctl.h>

unsigned csandbox_offered(void) {
  unsigned walls = 0;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0) walls |= CSANDBOX_NO_NEW_PRIVILEGES;
  if (seccomp_offered()) walls |= CSANDBOX_SECCOMP;
  if (csandbox_landlock_version() >= 1) walls |= CSANDBOX_LANDLOCK;
  return walls;
}

int csandbox_begin(unsigned walls) {
  if ((walls & CSANDBOX_NO_NEW_PRIVILEGES) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  if ((walls & CSANDBOX_LANDLOCK) && landlock_restrict(1) != 0) return -1;
  return 0;
}

int csandbox_seal(unsigned walls, int socket) {
  if ((walls & CSANDBOX_LANDLOCK) && landlock_restrict(0) != 0) return -1;
  if ((walls & CSANDBOX_SECCOMP) && seccomp_restrict(socket) != 0) return -1;
  return 0;
}

#else

unsigned csandbox_offered(void) { return 0; }
int csandbox_landlock_version(void) { return 0; }
int csandbox_begin(unsigned walls) { return walls == 0 ? 0 : -1; }
int csandbox_seal(unsigned walls, int socket) {
  (void)socket;
  return walls == 0 ? 0 : -1;
}

#endif
