#include "Opening.h"

/// With more pixels than this a JPEG shrinks although part of a pixel is lost at an edge.
#define EXACT_PIXELS 100000000

/// How far a JPEG can shrink while it is decoded: it leaves a factor of two for the resampler, and
/// no part of a pixel at an edge.
static int jpeg_shrink(const VipsImage *image, int target) {
  int longest = image->Xsize > image->Ysize ? image->Xsize : image->Ysize;
  int factor = target > 0 ? longest / target : 1;
  int shrink = factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 4 ? 2 : 1;
  if ((int64_t)image->Xsize * image->Ysize > EXACT_PIXELS) return shrink;
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

/// Whether all pixels of a picture in memory are the same.
static bool is_even(VipsImage *image) {
  const uint8_t *first = (const uint8_t *)VIPS_IMAGE_ADDR(image, 0, 0);
  for (int y = 0; y < image->Ysize; y++) {
    const uint8_t *row = (const uint8_t *)VIPS_IMAGE_ADDR(image, 0, y);
    for (int at = 0; at < image->Xsize * image->Bands; at++)
      if (row[at] != first[at % image->Bands]) return false;
  }
  return true;
}

/// The part of the picture that the plan takes, or NULL.
static VipsImage *take(
    const void *bytes, size_t length, cvips_format format, bool is_broken, VipsImage *image,
    const cvips_plan *plan, const cvips_rendition *first) {
  int is_whole = plan->width == image->Xsize && plan->height == image->Ysize;
  if (is_whole) {
    int target = first == NULL ? 0 : first->width > first->height ? first->width : first->height;
    int shrink = format == CVIPS_FORMAT_JPEG ? jpeg_shrink(image, target) : 1;
    return shrink > 1 ? cvips_load(format, bytes, length, is_broken, shrink) : g_object_ref(image);
  }
  VipsImage *part = NULL;
  if (vips_extract_area(image, &part, plan->x, plan->y, plan->width, plan->height, NULL) != 0)
    return NULL;
  return part;
}

cvips_status cvips_render(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, bool is_broken,
    const cvips_plan *plan, int count, cvips_rendition *renditions, uint32_t *average,
    char *message) {
  VipsImage *picture = NULL;
  cvips_status status =
      cvips_open_checked(format, bytes, length, pixels_max, is_broken, &picture, message);
  if (status != CVIPS_OK) return status;
  int64_t pixels = (int64_t)picture->Xsize * picture->Ysize;
  VipsImage *image =
      take(bytes, length, format, is_broken, picture, plan, count > 0 ? &renditions[0] : NULL);
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
  // Nothing of it could be decoded.
  if (result == 0 && is_broken && is_even(image)) result = -1;
  if (image != NULL) g_object_unref(image);
  if (result != 0) {
    // Asked while the decoder's memory is free again, as it was when the decoder asked for it.
    status = cvips_decoding_failed(format, bytes, length, pixels, message);
    cvips_free_renditions(renditions, count);
  }
  vips_error_clear();
  return status;
}

void cvips_free_renditions(cvips_rendition *renditions, int count) {
  for (int at = 0; at < count; at++) {
    g_free(renditions[at].bytes);
    renditions[at].bytes = NULL;
    renditions[at].length = 0;
  }
}
