#include "CVips.h"

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

/// Calls the one loader of the format, so that no other loader ever sees the bytes.
static VipsImage *load(cvips_format format, const void *bytes, size_t length, int shrink) {
  VipsImage *image = NULL;
  void *data = (void *)bytes;
  VipsFailOn on = VIPS_FAIL_ON_ERROR;
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
/// what the picture takes.
static int lacked_memory(const char *text, int64_t pixels) {
  static const char *const words[] = {
      "ut of memory", "emory allocation", "nsufficient memory", "annot allocate", NULL};
  if (says(text, words)) return 1;
  if (pixels <= 0) return 0;
  size_t length = (size_t)pixels * BYTES_PER_PIXEL;
  void *room = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 1;
  munmap(room, length);
  return 0;
}

/// Says why a picture of a known format, and of so many pixels where that is known, does not decode.
static cvips_status decoding_failed(
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
  if (!cut && lacked_memory(text, pixels)) return fail(message, CVIPS_OUT_OF_MEMORY, text);
  return fail(message, cut ? CVIPS_TRUNCATED : CVIPS_DAMAGED, text);
}

/// Loads the header, with the checks that come before any decoding.
static cvips_status open_checked(
    const void *bytes, size_t length, int64_t pixels_max, cvips_format *format, VipsImage **image,
    char *message) {
  *format = cvips_sniff(bytes, length);
  if (*format == CVIPS_FORMAT_NONE) return fail(message, CVIPS_NOT_AN_IMAGE, "no known signature");
  if (*format == CVIPS_FORMAT_OTHER)
    return fail(message, CVIPS_UNSUPPORTED_FORMAT, "a picture format that is not decoded");
  *image = load(*format, bytes, length, 1);
  if (*image == NULL) return decoding_failed(*format, bytes, length, 0, message);
  if ((int64_t)(*image)->Xsize * (*image)->Ysize > pixels_max) {
    snprintf(message, CVIPS_MESSAGE_BYTES, "%d x %d pixels", (*image)->Xsize, (*image)->Ysize);
    g_object_unref(*image);
    *image = NULL;
    return CVIPS_TOO_MANY_PIXELS;
  }
  return CVIPS_OK;
}

cvips_status cvips_probe(
    const void *bytes, size_t length, int64_t pixels_max, cvips_picture *picture, char *message) {
  memset(picture, 0, sizeof *picture);
  VipsImage *image = NULL;
  cvips_status status =
      open_checked(bytes, length, pixels_max, &picture->format, &image, message);
  if (status != CVIPS_OK) return status;
  int turned = !turns_by_itself(picture->format) && vips_image_get_orientation_swap(image);
  picture->orientation = turns_by_itself(picture->format) ? 1 : vips_image_get_orientation(image);
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

/// How far a JPEG can shrink while it is decoded: it leaves a factor of two for the resampler, and
/// no part of a pixel at an edge.
static int jpeg_shrink(const VipsImage *image, int target) {
  int longest = image->Xsize > image->Ysize ? image->Xsize : image->Ysize;
  int factor = target > 0 ? longest / target : 1;
  int shrink = factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 4 ? 2 : 1;
  while (image->Xsize % shrink != 0 || image->Ysize % shrink != 0) shrink /= 2;
  return shrink;
}

/// Scales to exactly that size, and converts from the picture's own profile, when it has one, to
/// sRGB.
static int scale(VipsImage *in, VipsImage **out, int width, int height) {
  // With an export profile but no profile to start from, libvips shifts colours.
  if (vips_image_get_typeof(in, VIPS_META_ICC_NAME) != 0) {
    return vips_thumbnail_image(
        in, out, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate", TRUE,
        "export_profile", "srgb", NULL);
  }
  return vips_thumbnail_image(
      in, out, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate", TRUE, NULL);
}

/// Turns by an EXIF orientation: a mirror, and then quarter turns.
static int turn(VipsImage *in, VipsImage **out, int orientation) {
  static const VipsAngle angles[] = {
      VIPS_ANGLE_D0, VIPS_ANGLE_D0, VIPS_ANGLE_D180, VIPS_ANGLE_D180,
      VIPS_ANGLE_D270, VIPS_ANGLE_D90, VIPS_ANGLE_D90, VIPS_ANGLE_D270};
  int mirrors = orientation == 2 || orientation == 4 || orientation == 5 || orientation == 7;
  VipsImage *mirrored = NULL;
  if (mirrors && vips_flip(in, &mirrored, VIPS_DIRECTION_HORIZONTAL, NULL) != 0) return -1;
  int result = vips_rot(mirrored != NULL ? mirrored : in, out, angles[orientation - 1], NULL);
  if (mirrored != NULL) g_object_unref(mirrored);
  return result;
}

/// Removes every field that says more than the pixels do: not all savers of libvips heed "strip".
static void forget(VipsImage *image) {
  char **fields = vips_image_get_fields(image);
  for (char **field = fields; *field != NULL; field++) vips_image_remove(image, *field);
  g_strfreev(fields);
}

/// Scales to a picture in memory, turned, sRGB or grey, 8 bits, without metadata; without alpha,
/// too, where the format has none.
static int scale_turned(
    VipsImage *in, VipsImage **out, int width, int height, int orientation, int keeps_alpha) {
  VipsImage *small = NULL, *flat = NULL, *plain = NULL, *bytes = NULL, *turned = NULL;
  int swaps = orientation >= 5;
  int result = scale(in, &small, swaps ? height : width, swaps ? width : height);
  if (result == 0 && vips_image_hasalpha(small) && !keeps_alpha) {
    VipsArrayDouble *white = vips_array_double_newv(1, 255.0);
    result = vips_flatten(small, &flat, "background", white, NULL);
    vips_area_unref(VIPS_AREA(white));
  } else if (result == 0) {
    flat = g_object_ref(small);
  }
  if (result == 0) {
    int isGrey = flat->Type == VIPS_INTERPRETATION_B_W;
    result = vips_colourspace(
        flat, &plain, isGrey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, NULL);
  }
  if (result == 0) result = vips_cast_uchar(plain, &bytes, NULL);
  if (result == 0 && orientation > 1) {
    // Rows are read in their order; turning needs all of them.
    VipsImage *whole = vips_image_copy_memory(bytes);
    result = whole == NULL ? -1 : turn(whole, &turned, orientation);
    if (whole != NULL) g_object_unref(whole);
  } else if (result == 0) {
    turned = g_object_ref(bytes);
  }
  if (result == 0) *out = vips_image_copy_memory(turned);
  if (*out == NULL) result = -1;
  if (*out != NULL) forget(*out);
  VipsImage *made[] = {small, flat, plain, bytes, turned};
  for (int at = 0; at < 5; at++)
    if (made[at] != NULL) g_object_unref(made[at]);
  return result;
}

static int save(VipsImage *image, const cvips_plan *plan, void **bytes, size_t *length) {
  switch (plan->format) {
    case CVIPS_FORMAT_JPEG:
      return vips_jpegsave_buffer(
          image, bytes, length, "Q", plan->quality, "strip", TRUE, "optimize_coding", TRUE, NULL);
    case CVIPS_FORMAT_PNG:
      return vips_pngsave_buffer(image, bytes, length, "strip", TRUE, NULL);
    case CVIPS_FORMAT_WEBP:
      return vips_webpsave_buffer(image, bytes, length, "Q", plan->quality, "strip", TRUE, NULL);
    default:
      return -1;
  }
}

/// The mean colour of a picture in memory with one or three bands.
static uint32_t mean_colour(VipsImage *image) {
  uint64_t sums[3] = {0, 0, 0};
  int bands = image->Bands >= 3 ? 3 : 1;
  uint64_t pixels = (uint64_t)image->Xsize * image->Ysize;
  for (int y = 0; y < image->Ysize; y++) {
    const uint8_t *row = (const uint8_t *)VIPS_IMAGE_ADDR(image, 0, y);
    for (int x = 0; x < image->Xsize; x++, row += image->Bands)
      for (int band = 0; band < 3; band++) sums[band] += row[band % bands];
  }
  if (pixels == 0) return 0;
  for (int band = 0; band < 3; band++) sums[band] = (sums[band] + pixels / 2) / pixels;
  return (uint32_t)((sums[0] << 16) | (sums[1] << 8) | sums[2]);
}

/// The part of the picture that the plan takes, or NULL.
static VipsImage *take(
    const void *bytes, size_t length, cvips_format format, VipsImage *image, const cvips_plan *plan,
    const cvips_rendition *first) {
  int is_whole = plan->width == image->Xsize && plan->height == image->Ysize;
  if (is_whole) {
    int target = first == NULL ? 0 : first->width > first->height ? first->width : first->height;
    int shrink = format == CVIPS_FORMAT_JPEG ? jpeg_shrink(image, target) : 1;
    return shrink > 1 ? load(format, bytes, length, shrink) : g_object_ref(image);
  }
  VipsImage *part = NULL;
  if (vips_extract_area(image, &part, plan->x, plan->y, plan->width, plan->height, NULL) != 0)
    return NULL;
  return part;
}

cvips_status cvips_render(
    const void *bytes, size_t length, int64_t pixels_max, const cvips_plan *plan, int count,
    cvips_rendition *renditions, uint32_t *average, char *message) {
  cvips_format format;
  VipsImage *picture = NULL;
  cvips_status status = open_checked(bytes, length, pixels_max, &format, &picture, message);
  if (status != CVIPS_OK) return status;
  int64_t pixels = (int64_t)picture->Xsize * picture->Ysize;
  VipsImage *image =
      take(bytes, length, format, picture, plan, count > 0 ? &renditions[0] : NULL);
  g_object_unref(picture);
  int result = image == NULL ? -1 : 0;
  int swaps = plan->orientation >= 5;
  for (int at = 0; result == 0 && at < (count > 0 ? count : 1); at++) {
    VipsImage *smaller = NULL;
    int width = count > 0 ? renditions[at].width : swaps ? plan->height : plan->width;
    int height = count > 0 ? renditions[at].height : swaps ? plan->width : plan->height;
    result = scale_turned(
        image, &smaller, width, height, at > 0 ? 1 : plan->orientation,
        plan->format != CVIPS_FORMAT_JPEG);
    if (result == 0 && count > 0) {
      void *file = NULL;
      result = save(smaller, plan, &file, &renditions[at].length);
      renditions[at].bytes = file;
    }
    g_object_unref(image);
    image = smaller;
  }
  if (result == 0) *average = mean_colour(image);
  if (image != NULL) g_object_unref(image);
  if (result != 0) {
    // Asked while the decoder's memory is free again, as it was when the decoder asked for it.
    status = decoding_failed(format, bytes, length, pixels, message);
    cvips_free_renditions(renditions, count);
  }
  vips_error_clear();
  return status;
}

/// Turns upright and makes grey, 8 bits, without alpha.
static int grey_upright(VipsImage *in, VipsImage **out, int keeps_angle) {
  VipsImage *upright = NULL, *flat = NULL, *grey = NULL;
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
  if (result == 0) result = vips_colourspace(flat, &grey, VIPS_INTERPRETATION_B_W, NULL);
  if (result == 0) result = vips_cast_uchar(grey, out, NULL);
  if (upright != NULL) g_object_unref(upright);
  if (flat != NULL) g_object_unref(flat);
  if (grey != NULL) g_object_unref(grey);
  return result;
}

cvips_status cvips_decode_grey(
    const void *bytes, size_t length, int64_t pixels_max, int *width, int *height,
    uint8_t **pixels, char *message) {
  cvips_format format;
  VipsImage *image = NULL, *grey = NULL;
  *pixels = NULL;
  cvips_status status = open_checked(bytes, length, pixels_max, &format, &image, message);
  if (status != CVIPS_OK) return status;
  int64_t count = (int64_t)image->Xsize * image->Ysize;
  int result = 0;
  // Turning needs pixels in any order, which a sequential source does not give.
  if (!turns_by_itself(format) && vips_image_get_orientation(image) > 1) {
    VipsImage *copy = vips_image_copy_memory(image);
    g_object_unref(image);
    image = copy;
    if (image == NULL) result = -1;
  }
  if (result == 0) result = grey_upright(image, &grey, turns_by_itself(format));
  size_t size = 0;
  if (result == 0) *pixels = vips_image_write_to_memory(grey, &size);
  if (*pixels != NULL && grey->Bands == 1 && size == (size_t)grey->Xsize * grey->Ysize) {
    *width = grey->Xsize;
    *height = grey->Ysize;
  } else {
    status = decoding_failed(format, bytes, length, count, message);
    cvips_free_grey(*pixels);
    *pixels = NULL;
  }
  if (grey != NULL) g_object_unref(grey);
  if (image != NULL) g_object_unref(image);
  vips_error_clear();
  return status;
}

void cvips_free_grey(uint8_t *pixels) { g_free(pixels); }

void cvips_free_probe(cvips_picture *picture) {
  g_free(picture->exif);
  picture->exif = NULL;
  picture->exif_length = 0;
}

void cvips_free_renditions(cvips_rendition *renditions, int count) {
  for (int at = 0; at < count; at++) {
    g_free(renditions[at].bytes);
    renditions[at].bytes = NULL;
    renditions[at].length = 0;
  }
}
