#ifndef REUNION_CWEBSOCKETS_H
#define REUNION_CWEBSOCKETS_H
#include <dirent.h>
#include <fcntl.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

/* What Swift cannot import: macros, variadic calls, unions and functions that are macros. */

static inline size_t reunion_lws_pre(void) { return LWS_PRE; }

static inline void reunion_lws_log_line(int level, const char *line) {
  (void)level;
  fputs(line, stderr);
}

/* Errors go to standard error, the rest is silent. */
static inline void reunion_lws_log_errors(void) {
  lws_set_log_level(LLL_ERR, reunion_lws_log_line);
}

/* Writes bytes of a stream, or one binary WebSocket message. */
static inline int reunion_lws_write(struct lws *wsi, void *bytes, size_t count, int is_stream) {
  return lws_write(wsi, bytes, count, is_stream ? LWS_WRITE_RAW : LWS_WRITE_BINARY);
}

/* Sends a close frame and waits for the other side's. Outside of callbacks only; answering -1 to
   WRITEABLE would close without a word. */
static inline void reunion_lws_leave(struct lws *wsi, unsigned code) {
  lws_close_reason(wsi, (enum lws_close_status)code, NULL, 0);
  lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}

/* Says why a close from inside RECEIVE happens. */
static inline void reunion_lws_close_reason(struct lws *wsi, unsigned code) {
  lws_close_reason(wsi, (enum lws_close_status)code, NULL, 0);
}

/* A context on the given libuv loop, with the owner that `lws_context_user` gives back. NULL where the
   evlib plugin for libuv is missing. */
static inline struct lws_context *reunion_lws_context(uv_loop_t *loop, unsigned buffer_bytes,
                                                      void *owner) {
  struct lws_context_creation_info info;
  void *loops[1];
  memset(&info, 0, sizeof info);
  loops[0] = loop;
  info.foreign_loops = loops;
  info.user = owner;
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.pt_serv_buf_size = buffer_bytes;
  info.uid = (uid_t)-1;
  info.gid = (gid_t)-1;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                 LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  return lws_create_context(&info);
}

/* libwebsockets 4.1 closes the descriptor that wakes it twice when a context ends: once in
   lws_context_destroy, and once in the loop's next turn. What another thread opened in between, a
   store's file for one, would be closed. So its number is found at the start, and taken by a
   descriptor of ours between the two. */

/* The number of the descriptor that wakes a context, -1 where it is not found. Before the loop runs:
   it is the one eventfd that holds as many wakes as are made here. Of two contexts that begin at
   once each needs a number of its own, sixteen apart. */
static inline int reunion_lws_wake_descriptor(struct lws_context *context, unsigned wakes) {
  int found = -1;
  struct dirent *entry;
  DIR *folder = opendir("/proc/self/fdinfo");
  if (!folder) return -1;
  for (unsigned i = 0; i < wakes; i++) lws_cancel_service(context);
  while ((entry = readdir(folder))) {
    char path[64], text[256];
    const char *count;
    unsigned long made = 0;
    ssize_t size;
    int fd;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%.16s", entry->d_name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    size = read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = 0;
    count = strstr(text, "eventfd-count:");
    if (count) made = strtoul(count + 14, NULL, 16);
    /* libwebsockets has made one or two itself. */
    if (count && made >= wakes && made < wakes + 9) found = atoi(entry->d_name);
  }
  closedir(folder);
  return found;
}

/* Ends a context. Returns whether the loop may run its last turns: not where another thread has got
   the number meanwhile, or where it is not known. What the loop holds is then left. */
static inline int reunion_lws_destroy(struct lws_context *context, int wake) {
#ifdef __linux__
  int spare, held;
  lws_context_destroy(context);
  if (wake < 0) return 0;
  spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (spare < 0 || spare == wake) return spare == wake;
  held = fcntl(spare, F_DUPFD_CLOEXEC, wake);
  close(spare);
  if (held >= 0 && held != wake) close(held);
  return held == wake;
#else
  /* There it wakes through a pipe; nothing is known of that, and the numbers cannot be looked up. */
  (void)wake;
  lws_context_destroy(context);
  return 1;
#endif
}

/* A vhost that listens nowhere. `protocols` must outlive the context. No proxy is taken from the
   environment: replicas talk to addresses on the local network. */
static inline struct lws_vhost *reunion_lws_vhost(struct lws_context *context,
                                                  const struct lws_protocols *protocols) {
  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = protocols;
  info.vhost_name = "reunion";
  info.http_proxy_address = "-:0"; /* port 0: none */
  info.options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  return lws_create_vhost(context, &info);
}

/* Hands an accepted, connected socket to the loop. The descriptor is closed on failure. */
static inline struct lws *reunion_lws_adopt(struct lws_vhost *vhost, int fd, const char *protocol,
                                            void *owner) {
  lws_adopt_desc_t info;
  memset(&info, 0, sizeof info);
  info.vh = vhost;
  info.type = LWS_ADOPT_SOCKET;
  info.fd.sockfd = fd;
  info.vh_prot_name = protocol;
  info.opaque = owner;
  return lws_adopt_descriptor_vhost_via_info(&info);
}

/* Closes a socket in a later turn. The wake makes libwebsockets look at its own timers, which it
   does only after events of its own. */
static inline void reunion_lws_kill(struct lws *wsi) {
  lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
  lws_cancel_service(lws_get_context(wsi));
}

static inline struct lws *reunion_lws_connect(struct lws_context *context, struct lws_vhost *vhost,
                                              const char *address, int port, int secure,
                                              const char *path, const char *host,
                                              const char *protocol, void *owner) {
  struct lws_client_connect_info info;
  memset(&info, 0, sizeof info);
  info.context = context;
  info.vhost = vhost;
  info.address = address;
  info.port = port;
  info.ssl_connection = (secure ? LCCSCF_USE_SSL : 0) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
  info.path = path;
  info.host = host;
  info.alpn = "http/1.1";
  info.local_protocol_name = protocol;
  info.opaque_user_data = owner;
  return lws_client_connect_via_info(&info);
}
#endif
