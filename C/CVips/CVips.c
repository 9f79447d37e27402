#include "Opening.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <vips/vips.h>

/// what decoding takes of the address space at most, in bytes a pixel: WebP took 17.
#define BYTES_PER_PIXEL 17

static cvips_status fail(char *message, cvips_status status, const char *text) {
  snprintf(message, CVIPS_MESSAGE_BYTES, "%s", text);
  g_strchomp(message);
  vips_error_clear();
  return status;
}

cvips_status cvips_start(char *message) {
  // Large pictures stay in memory: the process may write no file.
  g_setenv("VIPS_DISC_THRESHOLD", "1000g", TRUE);
  if (vips_init("reunion-images") != 0) return fail(message, CVIPS_FAILED, vips_error_buffer());
  vips_block_untrusted_set(TRUE);
  vips_cache_set_max(0);
  vips_concurrency_set(1);
  return CVIPS_OK;
}

VipsImage *cvips_load(
    cvips_format format, const void *bytes, size_t length, bool is_broken, int shrink) {
  VipsImage *image = NULL;
  void *data = (void *)bytes;
  VipsFailOn on = is_broken ? VIPS_FAIL_ON_NONE : VIPS_FAIL_ON_ERROR;
  VipsAccess access = VIPS_ACCESS_SEQUENTIAL;
  switch (format) {
    case CVIPS_FORMAT_JPEG:
      vips_jpegload_buffer(
          data, length, &image, "shrink", shrink, "fail_on", on, "access", access, NULL);
      break;
    case CVIPS_FORMAT_PNG:
      vips_pngload_buffer(data, length, &image, "fail_on", on, "access", access, NULL);
      break;
    case CVIPS_FORMAT_WEBP:
      vips_webpload_buffer(data, length, &image, "fail_on", on, "access", access, NULL);
      break;
    case CVIPS_FORMAT_HEIC:
    case CVIPS_FORMAT_AVIF:
      vips_heifload_buffer(data, length, &image, "fail_on", on, "access", access, NULL);
      break;
    case CVIPS_FORMAT_GIF:
      vips_gifload_buffer(data, length, &image, "fail_on", on, "access", access, NULL);
      break;
    default:
      break;
  }
  return image;
}

/// HEIC and AVIF turn by a box of their own, which libheif applies: their EXIF orientation is void.
static int turns_by_itself(cvips_format format) {
  return format == CVIPS_FORMAT_HEIC || format == CVIPS_FORMAT_AVIF;
}

static int says(const char *text, const char *const *words) {
  for (; *words != NULL; words++)
    if (strstr(text, *words) != NULL) return 1;
  return 0;
}

/// Whether the decoder lacked memory: by its words, or, since most say nothing of it, by asking for
/// what the picture takes. That of JPEG says so, and takes less where the picture shrinks.
static int lacked_memory(cvips_format format, const char *text, int64_t pixels) {
  static const char *const words[] = {
      "ut of memory", "emory allocation", "nsufficient memory", "annot allocate", NULL};
  if (says(text, words)) return 1;
  if (pixels <= 0 || format == CVIPS_FORMAT_JPEG) return 0;
  size_t length = (size_t)pixels * BYTES_PER_PIXEL;
  void *room = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 1;
  munmap(room, length);
  return 0;
}

cvips_status cvips_decoding_failed(
    cvips_format format, const uint8_t *bytes, size_t length, int64_t pixels, char *message) {
  static const char *const words[] = {
      "remature end", "nd of file", "runcated", "nd of data", NULL};
  const char *text = vips_error_buffer();
  int cut = says(text, words);
  if (format == CVIPS_FORMAT_PNG) {
    cut = cut || length < 12 || memcmp(bytes + length - 8, "IEND", 4) != 0;
  }
  if (format == CVIPS_FORMAT_WEBP && length >= 8) {
    uint64_t size = bytes[4] | (bytes[5] << 8) | (bytes[6] << 16) | ((uint64_t)bytes[7] << 24);
    cut = cut || size + 8 > length;
  }
  if (!cut && lacked_memory(format, text, pixels)) return fail(message, CVIPS_OUT_OF_MEMORY, text);
  // It says nothing of the picture that the process got no thread.
  if (strstr(text, "reating thread") != NULL) return fail(message, CVIPS_FAILED, text);
  return fail(message, cut ? CVIPS_TRUNCATED : CVIPS_DAMAGED, text);
}

cvips_status cvips_open_checked(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, bool is_broken,
    VipsImage **image, char *message) {
  *image = cvips_load(format, bytes, length, is_broken, 1);
  if (*image == NULL) return cvips_decoding_failed(format, bytes, length, 0, message);
  if ((int64_t)(*image)->Xsize * (*image)->Ysize > pixels_max) {
    snprintf(message, CVIPS_MESSAGE_BYTES, "%d x %d pixels", (*image)->Xsize, (*image)->Ysize);
    g_object_unref(*image);
    *image = NULL;
    return CVIPS_TOO_MANY_PIXELS;
  }
  return CVIPS_OK;
}

cvips_status cvips_probe(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, bool is_broken,
    cvips_picture *picture, char *message) {
  memset(picture, 0, sizeof *picture);
  VipsImage *image = NULL;
  cvips_status status =
      cvips_open_checked(format, bytes, length, pixels_max, is_broken, &image, message);
  if (status != CVIPS_OK) return status;
  int turned = !turns_by_itself(format) && vips_image_get_orientation_swap(image);
  picture->orientation = turns_by_itself(format) ? 1 : vips_image_get_orientation(image);
  picture->stored_width = image->Xsize;
  picture->stored_height = image->Ysize;
  picture->width = turned ? image->Ysize : image->Xsize;
  picture->height = turned ? image->Xsize : image->Ysize;
  picture->pages = vips_image_get_n_pages(image);
  const void *exif = NULL;
  size_t exif_length = 0;
  if (vips_image_get_typeof(image, VIPS_META_EXIF_NAME) != 0 &&
      vips_image_get_blob(image, VIPS_META_EXIF_NAME, &exif, &exif_length) == 0 &&
      exif_length > 0) {
    picture->exif = g_try_malloc(exif_length);
    if (picture->exif != NULL) {
      memcpy(picture->exif, exif, exif_length);
      picture->exif_length = exif_length;
    }
  }
  g_object_unref(image);
  vips_error_clear();
  return CVIPS_OK;
}

/// Turns upright, makes at most so large, and makes grey or red, green and blue, 8 bits, without alpha.
static int plain_upright(VipsImage *in, VipsImage **out, int keeps_angle, int bands, int long_edge) {
  VipsImage *upright = NULL, *flat = NULL, *small = NULL, *colours = NULL;
  int result = 0;
  if (keeps_angle) upright = g_object_ref(in);
  else result = vips_autorot(in, &upright, NULL);
  if (result == 0 && vips_image_hasalpha(upright)) {
    double white = upright->BandFmt == VIPS_FORMAT_USHORT ? 65535 : 255;
    VipsArrayDouble *background = vips_array_double_newv(1, white);
    result = vips_flatten(upright, &flat, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
  } else if (result == 0) {
    flat = g_object_ref(upright);
  }
  if (result == 0) {
    int edge = MAX(flat->Xsize, flat->Ysize);
    if (long_edge > 0 && edge > long_edge) result = vips_resize(flat, &small, (double)long_edge / edge, NULL);
    else small = g_object_ref(flat);
  }
  VipsInterpretation space = bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
  if (result == 0) result = vips_colourspace(small, &colours, space, NULL);
  if (result == 0) result = vips_cast_uchar(colours, out, NULL);
  if (upright != NULL) g_object_unref(upright);
  if (flat != NULL) g_object_unref(flat);
  if (small != NULL) g_object_unref(small);
  if (colours != NULL) g_object_unref(colours);
  return result;
}

/// Loads anew by a JPEG decoder that makes it 2, 4 or 8 times smaller, where that is large enough.
static VipsImage *smaller(
    VipsImage *image, cvips_format format, const void *bytes, size_t length, int long_edge) {
  int edge = MAX(image->Xsize, image->Ysize), shrink = 1;
  while (shrink < 8 && edge / (shrink * 2) >= long_edge) shrink *= 2;
  if (format != CVIPS_FORMAT_JPEG || long_edge <= 0 || shrink == 1) return image;
  g_object_unref(image);
  return cvips_load(format, bytes, length, false, shrink);
}

cvips_status cvips_decode_pixels(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, int bands,
    int long_edge, cvips_pixels *pixels, char *message) {
  VipsImage *image = NULL, *plain = NULL;
  memset(pixels, 0, sizeof *pixels);
  cvips_status status =
      cvips_open_checked(format, bytes, length, pixels_max, false, &image, message);
  if (status != CVIPS_OK) return status;
  int64_t count = (int64_t)image->Xsize * image->Ysize;
  int turned = !turns_by_itself(format) && vips_image_get_orientation_swap(image);
  pixels->whole_width = turned ? image->Ysize : image->Xsize;
  pixels->whole_height = turned ? image->Xsize : image->Ysize;
  image = smaller(image, format, bytes, length, long_edge);
  int result = image == NULL ? -1 : 0;
  // Turning needs pixels in any order, which a sequential source does not give.
  if (result == 0 && !turns_by_itself(format) && vips_image_get_orientation(image) > 1) {
    VipsImage *copy = vips_image_copy_memory(image);
    g_object_unref(image);
    image = copy;
    if (image == NULL) result = -1;
  }
  if (result == 0) result = plain_upright(image, &plain, turns_by_itself(format), bands, long_edge);
  size_t size = 0;
  if (result == 0) pixels->bytes = vips_image_write_to_memory(plain, &size);
  if (pixels->bytes != NULL && plain->Bands == bands &&
      size == (size_t)plain->Xsize * plain->Ysize * bands) {
    pixels->width = plain->Xsize;
    pixels->height = plain->Ysize;
  } else {
    status = cvips_decoding_failed(format, bytes, length, count, message);
    cvips_free_pixels(pixels);
  }
  if (plain != NULL) g_object_unref(plain);
  if (image != NULL) g_object_unref(image);
  vips_error_clear();
  return status;
}

void cvips_free_pixels(cvips_pixels *pixels) {
  g_free(pixels->bytes);
  pixels->bytes = NULL;
}

void cvips_free_probe(cvips_picture *picture) {
  g_free(picture->exif);
  picture->exif = NULL;
  picture->exif_length = 0;
}
