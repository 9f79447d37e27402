#ifndef REUNION_CSANDBOX_H
#define REUNION_CSANDBOX_H

/// Walls around a process that reads hostile bytes: what it cannot do any more, it never can again.
///
/// On anything but Linux nothing is offered, and nothing can be put up.

/// No program that this process starts has more rights than itself.
#define CSANDBOX_NO_NEW_PRIVILEGES 1u
/// The process may make few system calls; docs/decisions/0028 says which.
#define CSANDBOX_SECCOMP 2u
/// Files, TCP, and processes outside are closed by Landlock.
#define CSANDBOX_LANDLOCK 4u

/// Which of these walls this machine's kernel has.
unsigned csandbox_offered(void);

/// The version of Landlock that the kernel has, 0 for none: from 4 on it closes TCP, from 6 on other
/// processes.
int csandbox_landlock_version(void);

/// Puts up what can stand before libraries are loaded: no new privileges, and with Landlock no file is
/// written, nothing executed, no TCP, and no signal sent to other processes. Files may still be read.
///
/// Call it before there is a second thread: Landlock binds the thread that asks, and those that it
/// starts. Returns 0, or -1 where a wall of `walls` could not be put up.
int csandbox_begin(unsigned walls);

/// Closes the process: nothing is opened any more, and it speaks over the descriptor `socket` alone.
///
/// The filter holds for all threads at once. Returns 0, or -1 where a wall of `walls` could not be put
/// up; the process must then read nothing that may be hostile.
int csandbox_seal(unsigned walls, int socket);

#endif
