#ifndef REUNION_CVIPS_H
#define REUNION_CVIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The part of libvips that Reunion needs: read the header of a picture, and make renditions of a
/// part of it, turned and without metadata.
///
/// Bytes may be hostile: call these functions in a process that may die. Functions may be called
/// from one thread only. A function that fails writes a message that ends with a zero byte into
/// `message`, a buffer of at least CVIPS_MESSAGE_BYTES bytes.

#define CVIPS_MESSAGE_BYTES 512

/// What a call came to.
typedef enum {
  CVIPS_OK = 0,
  CVIPS_TOO_MANY_PIXELS = 1,
  CVIPS_TRUNCATED = 2,
  CVIPS_DAMAGED = 3,
  CVIPS_FAILED = 4,
  CVIPS_OUT_OF_MEMORY = 5,
} cvips_status;

/// The picture formats that are decoded.
typedef enum {
  CVIPS_FORMAT_JPEG = 1,
  CVIPS_FORMAT_PNG = 2,
  CVIPS_FORMAT_WEBP = 3,
  CVIPS_FORMAT_HEIC = 4,
  CVIPS_FORMAT_AVIF = 5,
  CVIPS_FORMAT_GIF = 6,
} cvips_format;

/// What the header of a picture says.
typedef struct {
  /// Size when shown upright.
  int width, height;
  /// Size as stored; differs from the upright size in orientations 5 to 8.
  int stored_width, stored_height;
  /// How to turn the stored pixels upright, 1 to 8 as EXIF numbers them; 1 for formats that turn by
  /// themselves.
  int orientation;
  /// Frames or pages; only the first, or the primary one, is ever decoded.
  int pages;
  /// The raw EXIF block, or NULL; cvips_free_probe frees it.
  uint8_t *exif;
  size_t exif_length;
} cvips_picture;

/// What to make of a picture.
typedef struct {
  /// The part to take of the stored pixels, which must lie within them.
  int x, y, width, height;
  /// How to turn that part, 1 to 8 as EXIF numbers them.
  int orientation;
  /// JPEG, PNG or WebP.
  cvips_format format;
  /// Of JPEG and WebP, 1 to 100.
  int quality;
} cvips_plan;

/// One rendition: its size in pixels, which is asked for, and its file; cvips_free_renditions frees
/// `bytes`.
typedef struct {
  int width, height;
  uint8_t *bytes;
  size_t length;
} cvips_rendition;

/// Starts libvips once: untrusted loaders blocked, no cache, one worker thread.
cvips_status cvips_start(char *message);

/// Reads the header, decodes no pixels, and refuses a picture of more than `pixels_max` pixels.
///
/// Where it `is_broken`, what can be read of it counts.
cvips_status cvips_probe(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, bool is_broken,
    cvips_picture *picture, char *message);

/// Decodes a picture once and makes each of `count` renditions, whose sizes must descend.
///
/// Each is made from the one before it, exactly as large as its width and height say. All are sRGB,
/// and free of EXIF, XMP, IPTC and ICC; a JPEG is flattened on white. Truncated or damaged data is an
/// error where the plan reads it, unless the picture `is_broken`: then what lacks is even, and it is an
/// error where all is. `average` is 0xRRGGBB, the mean of the last rendition, or of the
/// whole plan when `count` is 0.
cvips_status cvips_render(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, bool is_broken,
    const cvips_plan *plan, int count, cvips_rendition *renditions, uint32_t *average,
    char *message);

/// A picture as bytes, row by row.
typedef struct {
  int width, height;
  /// The upright picture as it is stored, before it was made smaller.
  int whole_width, whole_height;
  uint8_t *bytes;
} cvips_pixels;

/// Decodes a picture: upright, flattened on white, grey (1 band) or red, green and blue (3 bands), and
/// with its longer side at most `long_edge`, or as large as it is for 0.
///
/// cvips_free_pixels frees the `width * height * bands` bytes.
cvips_status cvips_decode_pixels(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, int bands,
    int long_edge, cvips_pixels *pixels, char *message);

/// Frees what cvips_decode_pixels allocated.
void cvips_free_pixels(cvips_pixels *pixels);

/// Frees what cvips_probe allocated.
void cvips_free_probe(cvips_picture *picture);

/// Frees the bytes of `count` renditions.
void cvips_free_renditions(cvips_rendition *renditions, int count);

#endif
