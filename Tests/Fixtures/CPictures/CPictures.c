#include "CPictures.h"

#include <pthread.h>
#include <vips/vips.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void start(void) {
  static int started = 0;
  if (!started) vips_init("pictures");
  started = 1;
}

/// Where a stored pixel shows when upright, straight from the EXIF definition of each orientation.
static void upright(int orientation, int w, int h, int x, int y, int *u, int *v) {
  switch (orientation) {
    case 2: *u = w - 1 - x; *v = y; break;
    case 3: *u = w - 1 - x; *v = h - 1 - y; break;
    case 4: *u = x; *v = h - 1 - y; break;
    case 5: *u = y; *v = x; break;
    case 6: *u = h - 1 - y; *v = x; break;
    case 7: *u = h - 1 - y; *v = w - 1 - x; break;
    case 8: *u = y; *v = w - 1 - x; break;
    default: *u = x; *v = y; break;
  }
}

static VipsImage *paint(const cpictures_recipe *recipe) {
  int w = recipe->width, h = recipe->height;
  int stored_as = recipe->orientation ? recipe->orientation : recipe->stored_as;
  int turned = stored_as >= 5;
  static const uint8_t colours[4][3] = {
      {220, 30, 30}, {30, 200, 40}, {30, 40, 210}, {245, 245, 245}};
  uint8_t *pixels = g_malloc((size_t)w * h * 3);
  uint32_t seed = 12345;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int u, v;
      upright(stored_as, w, h, x, y, &u, &v);
      const uint8_t *colour =
          colours[(v >= (turned ? w : h) / 2) * 2 + (u >= (turned ? h : w) / 2)];
      for (int band = 0; band < 3; band++) {
        int value = colour[band];
        if (recipe->noise) {
          seed = seed * 1664525 + 1013904223;
          value += (int)(seed >> 16) % recipe->noise - recipe->noise / 2;
        }
        pixels[((size_t)y * w + x) * 3 + band] = value < 0 ? 0 : value > 255 ? 255 : value;
      }
    }
  VipsImage *image = vips_image_new_from_memory_copy(
      pixels, (size_t)w * h * 3, w, h, 3, VIPS_FORMAT_UCHAR);
  g_free(pixels);
  if (image == NULL) return NULL;
  VipsImage *typed = NULL;
  vips_copy(image, &typed, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
  g_object_unref(image);
  return typed;
}

static void describe(VipsImage *image, const cpictures_recipe *recipe) {
  if (recipe->orientation) vips_image_set_int(image, VIPS_META_ORIENTATION, recipe->orientation);
  if (recipe->profile != NULL) {
    VipsBlob *blob = NULL;
    if (vips_profile_load(recipe->profile, &blob, NULL) == 0 && blob != NULL) {
      size_t length;
      const void *data = vips_blob_get(blob, &length);
      vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, data, length);
      vips_area_unref(VIPS_AREA(blob));
    }
  }
  if (!recipe->has_metadata) return;
  vips_image_set_string(
      image, "exif-ifd2-DateTimeOriginal",
      "2024:05:06 07:08:09 (2024:05:06 07:08:09, ASCII, 20 components, 20 bytes)");
  vips_image_set_string(image, "exif-ifd3-GPSLatitudeRef", "N (N, ASCII, 2 components, 2 bytes)");
  vips_image_set_string(
      image, "exif-ifd3-GPSLatitude", "51/1 30/1 26/1 (51, 30, 26, Rational, 3 components, 24 bytes)");
  static const char packet[] =
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'>secret garden GPSLatitude</x:xmpmeta>";
  vips_image_set_blob_copy(image, VIPS_META_XMP_NAME, packet, sizeof packet - 1);
}

int cpictures_make(
    const cpictures_recipe *recipe, const char *suffix, uint8_t **bytes, size_t *length) {
  pthread_mutex_lock(&turn);
  start();
  void *out = NULL;
  int result = -1;
  VipsImage *image = paint(recipe);
  if (image != NULL) {
    describe(image, recipe);
    result = vips_image_write_to_buffer(image, suffix, &out, length, NULL);
    g_object_unref(image);
  }
  *bytes = out;
  pthread_mutex_unlock(&turn);
  return result;
}

int cpictures_black_png(int width, int height, uint8_t **bytes, size_t *length) {
  pthread_mutex_lock(&turn);
  start();
  void *out = NULL;
  VipsImage *image = NULL;
  int result = vips_black(&image, width, height, NULL);
  if (result == 0) {
    result = vips_pngsave_buffer(image, &out, length, "bitdepth", 1, "compression", 6, NULL);
    g_object_unref(image);
  }
  *bytes = out;
  pthread_mutex_unlock(&turn);
  return result;
}

int cpictures_decode(
    const uint8_t *bytes, size_t length, int *width, int *height, uint8_t **pixels) {
  pthread_mutex_lock(&turn);
  start();
  *pixels = NULL;
  int result = -1;
  VipsImage *image = vips_image_new_from_buffer(bytes, length, "", NULL), *rgb = NULL;
  if (image != NULL && vips_colourspace(image, &rgb, VIPS_INTERPRETATION_sRGB, NULL) == 0) {
    size_t size;
    *width = rgb->Xsize;
    *height = rgb->Ysize;
    if (rgb->Bands == 3) *pixels = vips_image_write_to_memory(rgb, &size);
    result = *pixels == NULL ? -1 : 0;
  }
  if (rgb != NULL) g_object_unref(rgb);
  if (image != NULL) g_object_unref(image);
  pthread_mutex_unlock(&turn);
  return result;
}

int cpictures_has_alpha(const uint8_t *bytes, size_t length) {
  pthread_mutex_lock(&turn);
  start();
  VipsImage *image = vips_image_new_from_buffer(bytes, length, "", NULL);
  int result = image == NULL ? -1 : vips_image_hasalpha(image) ? 1 : 0;
  if (image != NULL) g_object_unref(image);
  pthread_mutex_unlock(&turn);
  return result;
}

void cpictures_free(uint8_t *bytes) { g_free(bytes); }
const char *cpictures_error(void) { return vips_error_buffer(); }
