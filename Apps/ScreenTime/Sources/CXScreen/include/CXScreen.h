#ifndef SCREENTIME_CXSCREEN_H
#define SCREENTIME_CXSCREEN_H
#include <stdbool.h>
#include <stdint.h>

// What an X server says of the window in focus and of the last input: never a title, a key or a picture.

typedef struct x_screen x_screen;

typedef struct {
  bool has_window;
  // The process of the window, as its program said; 0 where it said none, or where it runs elsewhere.
  uint32_t process;
  // WM_CLASS, in the bytes of the program; empty if the window has no class.
  char instance[128];
  char class_name[128];
  uint64_t idle_milliseconds;
} x_screen_look;

// Connects; NULL if no display answers, or if it cannot tell for how long nobody touched it.
x_screen *x_screen_open(const char *display);
void x_screen_close(x_screen *screen);
// What to wait on for reading.
int x_screen_descriptor(x_screen *screen);
// Takes what came: 1 where the focus may have moved, 0 where not, -1 where the display is gone.
int x_screen_drain(x_screen *screen);
// Looks; false where the display is gone.
bool x_screen_look_now(x_screen *screen, x_screen_look *look);
#endif
