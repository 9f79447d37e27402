#ifndef SCREENTIME_CDESK_H
#define SCREENTIME_CDESK_H
#include <stdbool.h>
#include <stdint.h>

// What an X server says of the window in focus and of the last input: never a title, a key or a picture.

typedef struct desk_screen desk_screen;

typedef struct {
  bool has_window;
  // The process of the window, as its program said; 0 where it said none, or where it runs elsewhere.
  uint32_t process;
  // WM_CLASS, in the bytes of the program; empty where it has none.
  char instance[128];
  char class_name[128];
  uint64_t idle_milliseconds;
} desk_look;

// Connects; NULL where there is no such display, or where it cannot tell for how long nobody touched it.
desk_screen *desk_open(const char *display);
void desk_close(desk_screen *screen);
// What to wait on for reading.
int desk_descriptor(desk_screen *screen);
// Takes what came: 1 where the focus may have moved, 0 where not, -1 where the display is gone.
int desk_drain(desk_screen *screen);
// Looks; false where the display is gone.
bool desk_look_now(desk_screen *screen, desk_look *look);
#endif
