#define _GNU_SOURCE
#include "CHangingDecoder.h"

#include <dlfcn.h>
#include <vips/vips.h>

void changingdecoder_arm(void) {}

/// Stands before the function of libvips with this name, which every probe calls.
int vips_image_get_n_pages(VipsImage *image) {
  volatile int width = image->Xsize;
  while (width == 4242) continue;
  static int (*real)(VipsImage *);
  if (real == NULL) real = (int (*)(VipsImage *))dlsym(RTLD_NEXT, "vips_image_get_n_pages");
  return real(image);
}
