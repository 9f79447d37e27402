#ifdef __linux__

#define _GNU_SOURCE

#include "Walls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Three answers. What a decoder needs is allowed. What no library tries by accident ends the process.
// All else fails as on a kernel that lacks it, so that a library that probes goes another way.

/// Allowed whatever their arguments.
static const int allowed[] = {
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(munmap),
    SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(futex), SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq), SCMP_SYS(membarrier), SCMP_SYS(exit), SCMP_SYS(exit_group),
    SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(getpid), SCMP_SYS(gettid),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(getcpu), SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday),
    SCMP_SYS(time), SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getrandom),
    SCMP_SYS(alarm), SCMP_SYS(setitimer),
};

/// They end the process.
static const int fatal[] = {
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(socket),
    SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept),
    SCMP_SYS(accept4), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(kill), SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(unshare), SCMP_SYS(setns),
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(bpf),
    SCMP_SYS(io_uring_setup), SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open), SCMP_SYS(keyctl),
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(kexec_load),
};

/// They fail, whatever they ask for: libraries ask for files in vain, and do without.
static const int opening[] = {
    SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(creat),
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static int add_all(scmp_filter_ctx filter, uint32_t action, const int *calls, int count) {
  int result = 0;
  for (int at = 0; at < count && result == 0; at++)
    result = seccomp_rule_add(filter, action, calls[at], 0);
  return result;
}

/// Threads, and no processes. `clone3`, whose flags no filter sees, is missing: libraries take `clone`.
static int add_threads(scmp_filter_ctx filter) {
  const uint64_t asked = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
  const uint64_t refused = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                           CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE |
                           CLONE_VFORK | CLONE_UNTRACED;
  int result = seccomp_rule_add(
      filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, asked | refused, asked));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
        SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // `abort` signals itself.
  uint64_t own = (uint64_t)getpid();
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, own));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, own));
  return result;
}

/// Memory, but none that holds new code: the code generator under libvips has its share by now.
static int add_memory(scmp_filter_ctx filter) {
  int calls[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
  int result = 0;
  for (int at = 0; at < COUNT(calls) && result == 0; at++) {
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, calls[at], 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (result == 0)
      result = seccomp_rule_add(
          filter, SCMP_ACT_ERRNO(EACCES), calls[at], 1,
          SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
  }
  return result;
}

/// The socket to the host, the two outputs, which lead nowhere, and the clock of computing.
static int add_bounded(scmp_filter_ctx filter, int socket) {
  int result = seccomp_rule_add(
      filter, SCMP_ACT_ALLOW, SCMP_SYS(recvfrom), 1, SCMP_A0(SCMP_CMP_EQ, (uint64_t)socket));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 2, SCMP_A0(SCMP_CMP_EQ, (uint64_t)socket),
        SCMP_A4(SCMP_CMP_EQ, 0));
  int writing[] = {SCMP_SYS(write), SCMP_SYS(writev)};
  for (int at = 0; at < COUNT(writing) && result == 0; at++)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, writing[at], 1, SCMP_A0(SCMP_CMP_LE, STDERR_FILENO));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
        SCMP_A1(SCMP_CMP_EQ, RLIMIT_CPU));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
  return result;
}

int seccomp_offered(void) {
  uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int seccomp_restrict(int socket) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
  if (filter == NULL) return -1;
  // The threads of libraries that are loaded already are bound by it as well.
  int result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  if (result == 0)
    result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // Found by a search and not one by one.
  if (result == 0) result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (result == 0) result = add_all(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed));
  if (result == 0) result = add_all(filter, SCMP_ACT_KILL_PROCESS, fatal, COUNT(fatal));
  if (result == 0) result = add_all(filter, SCMP_ACT_ERRNO(EACCES), opening, COUNT(opening));
  if (result == 0) result = add_threads(filter);
  if (result == 0) result = add_memory(filter);
  if (result == 0) result = add_bounded(filter, socket);
  if (result == 0) result = seccomp_load(filter);
  seccomp_release(filter);
  return result == 0 ? 0 : -1;
}

#endif
