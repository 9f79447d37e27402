#ifndef REUNION_CSANDBOX_WALLS_H
#define REUNION_CSANDBOX_WALLS_H

/// Closes files to this thread, and TCP and other processes too. With `reads` files stay readable.
int landlock_restrict(int reads);

/// Whether the kernel filters system calls, and ends a process for one.
int seccomp_offered(void);

/// Filters the system calls of all threads of this process.
int seccomp_restrict(int socket);

#endif
