#define _GNU_SOURCE
#include "CHostileDecoder.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vips/vips.h>

enum { SUCCEEDED = 64, FAILED = 65 };

/// Asked for before there are walls, which keep it from being asked.
static pid_t host;

static int opens(void) { return open("/etc/passwd", O_RDONLY) >= 0; }

static int writes(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/reunion-hostile-%d", (int)getpid());
  int file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file >= 0) unlink(name);
  return file >= 0;
}

/// Whether it reaches this machine's port 9, on which nobody listens.
static int connects(void) {
  int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int result = connect(socket_, (struct sockaddr *)&address, sizeof address);
  return result == 0 || errno == ECONNREFUSED;
}

static int forks(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0 && waitpid(child, NULL, 0) == child;
}

/// A process by the call whose flags no filter sees.
static int forks_by_clone3(void) {
  uint64_t arguments[8] = {[4] = SIGCHLD};
  long child = syscall(SYS_clone3, arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child > 0;
}

static int executes(void) {
  // The host would end it as soon as the socket is closed.
  fcntl(3, F_SETFD, 0);
  execl("/bin/sh", "sh", "-c", "exit 64", (char *)NULL);
  return 0;
}

/// Whether it may send its host a signal; this one changes nothing.
static int signals_host(void) { return kill(host, SIGCONT) == 0; }
static int signals_thread(void) { return syscall(SYS_tgkill, host, host, SIGCONT) == 0; }

/// Whether the kernel listens to a tracer at all: it says that this one traces nobody yet.
static int traces(void) { return ptrace(PTRACE_CONT, host, NULL, NULL) < 0 && errno == ESRCH; }

static int brings_code(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

/// By the numbers of HostileDecoder in the tests.
static int (*const attempts[])(void) = {
    opens, writes, connects, forks, forks_by_clone3, executes, signals_host, signals_thread, traces,
    brings_code,
};

static void attempt(int number) {
  int count = (int)(sizeof attempts / sizeof *attempts);
  if (number >= 0 && number < count) _exit(attempts[number]() ? SUCCEEDED : FAILED);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asked = -1;

static void *old_thread(void *unused) {
  pthread_mutex_lock(&lock);
  while (asked < 0) pthread_cond_wait(&changed, &lock);
  attempt(asked);
  return unused;
}

static void let_old_thread_attempt(int number) {
  pthread_mutex_lock(&lock);
  asked = number;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  for (;;) pause();
}

void hostiledecoder_arm(void) { host = getppid(); }

/// Stands before the function of libvips with this name, which every probe calls.
int vips_image_get_n_pages(VipsImage *image) {
  static pthread_t thread;
  // The worker's own first pictures come before it is closed in.
  if (thread == 0) pthread_create(&thread, NULL, old_thread, NULL);
  volatile int width = image->Xsize;
  while (width == 4242) continue;
  if (width >= 4300 && width < 4400) attempt(width - 4300);
  if (width >= 4400 && width < 4500) let_old_thread_attempt(width - 4400);
  static int (*real)(VipsImage *);
  if (real == NULL) real = (int (*)(VipsImage *))dlsym(RTLD_NEXT, "vips_image_get_n_pages");
  return real(image);
}
