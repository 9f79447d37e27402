#include "CXScreen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/screensaver.h>
#include <xcb/xcb.h>
#include <xcb/xcb_ewmh.h>

struct x_screen {
  xcb_connection_t *connection;
  xcb_ewmh_connection_t ewmh;
  bool has_ewmh;
  int number;
  xcb_window_t root;
  char host[256];
};

static xcb_window_t root_of(xcb_connection_t *connection, int number) {
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
  for (; screens.rem > 1 && number > 0; number--) xcb_screen_next(&screens);
  return screens.data->root;
}

x_screen *x_screen_open(const char *display) {
  x_screen *screen = calloc(1, sizeof *screen);
  if (!screen) return NULL;
  screen->connection = xcb_connect(display, &screen->number);
  if (xcb_connection_has_error(screen->connection)) goto failed;
  const xcb_query_extension_reply_t *saver =
      xcb_get_extension_data(screen->connection, &xcb_screensaver_id);
  if (!saver || !saver->present) goto failed;
  screen->root = root_of(screen->connection, screen->number);
  xcb_intern_atom_cookie_t *cookies = xcb_ewmh_init_atoms(screen->connection, &screen->ewmh);
  if (!cookies || !xcb_ewmh_init_atoms_replies(&screen->ewmh, cookies, NULL)) goto failed;
  screen->has_ewmh = true;
  gethostname(screen->host, sizeof screen->host - 1);
  // The window manager tells there which window has the focus.
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_change_window_attributes(screen->connection, screen->root, XCB_CW_EVENT_MASK, &events);
  if (xcb_flush(screen->connection) <= 0) goto failed;
  return screen;
failed:
  x_screen_close(screen);
  return NULL;
}

void x_screen_close(x_screen *screen) {
  if (!screen) return;
  if (screen->has_ewmh) xcb_ewmh_connection_wipe(&screen->ewmh);
  xcb_disconnect(screen->connection);
  free(screen);
}

int x_screen_descriptor(x_screen *screen) { return xcb_get_file_descriptor(screen->connection); }

int x_screen_drain(x_screen *screen) {
  int moved = 0;
  xcb_generic_event_t *event;
  while ((event = xcb_poll_for_event(screen->connection))) {
    if ((event->response_type & 0x7f) == XCB_PROPERTY_NOTIFY) {
      xcb_property_notify_event_t *property = (xcb_property_notify_event_t *)event;
      if (property->atom == screen->ewmh._NET_ACTIVE_WINDOW) moved = 1;
    }
    free(event);
  }
  return xcb_connection_has_error(screen->connection) ? -1 : moved;
}

// Reads a text of a window; false if the window has no such text.
static int read_text(
    x_screen *screen, xcb_get_property_cookie_t cookie, char *text, size_t capacity) {
  xcb_get_property_reply_t *reply = xcb_get_property_reply(screen->connection, cookie, NULL);
  if (!reply) return 0;
  int length = reply->format == 8 ? xcb_get_property_value_length(reply) : 0;
  if ((size_t)length > capacity) length = (int)capacity;
  if (length > 0) memcpy(text, xcb_get_property_value(reply), (size_t)length);
  free(reply);
  return length;
}

static void copy(char *to, size_t capacity, const char *from) {
  size_t length = strnlen(from, capacity - 1);
  memcpy(to, from, length);
  to[length] = 0;
}

static void read_window(x_screen *screen, xcb_window_t window, x_screen_look *look) {
  xcb_connection_t *connection = screen->connection;
  // All three questions, and then all three answers.
  xcb_get_property_cookie_t class_cookie =
      xcb_get_property(connection, 0, window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 0, 64);
  xcb_get_property_cookie_t machine_cookie =
      xcb_get_property(connection, 0, window, XCB_ATOM_WM_CLIENT_MACHINE, XCB_ATOM_STRING, 0, 64);
  xcb_get_property_cookie_t process_cookie = xcb_ewmh_get_wm_pid(&screen->ewmh, window);
  // Two texts, one behind the other, each with a zero byte at its end.
  char names[258] = {0};
  int length = read_text(screen, class_cookie, names, 256);
  copy(look->instance, sizeof look->instance, names);
  size_t second = strnlen(names, 256) + 1;
  if ((int)second < length) copy(look->class_name, sizeof look->class_name, names + second);
  char machine[257] = {0};
  read_text(screen, machine_cookie, machine, 256);
  uint32_t process = 0;
  if (!xcb_ewmh_get_wm_pid_reply(&screen->ewmh, process_cookie, &process, NULL)) process = 0;
  // The number of a process on another machine says nothing here.
  look->process = machine[0] && strcmp(machine, screen->host) != 0 ? 0 : process;
  look->has_window = true;
}

bool x_screen_look_now(x_screen *screen, x_screen_look *look) {
  memset(look, 0, sizeof *look);
  xcb_get_property_cookie_t active =
      xcb_ewmh_get_active_window(&screen->ewmh, screen->number);
  xcb_screensaver_query_info_cookie_t idle =
      xcb_screensaver_query_info(screen->connection, screen->root);
  xcb_window_t window = XCB_NONE;
  if (!xcb_ewmh_get_active_window_reply(&screen->ewmh, active, &window, NULL)) {
    // Without a window manager that tells: the window that gets the keys.
    xcb_get_input_focus_reply_t *focus = xcb_get_input_focus_reply(
        screen->connection, xcb_get_input_focus(screen->connection), NULL);
    if (focus) window = focus->focus;
    free(focus);
  }
  xcb_screensaver_query_info_reply_t *info =
      xcb_screensaver_query_info_reply(screen->connection, idle, NULL);
  if (info) look->idle_milliseconds = info->ms_since_user_input;
  free(info);
  if (window > XCB_INPUT_FOCUS_POINTER_ROOT && window != screen->root) {
    read_window(screen, window, look);
  }
  return info != NULL && !xcb_connection_has_error(screen->connection);
}
