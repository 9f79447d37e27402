#ifndef REUNION_CPICTURES_H
#define REUNION_CPICTURES_H

#include <stddef.h>
#include <stdint.h>

/// Makes pictures for tests, in the process of the tests; calls take turns.

/// Metadata and content of a test picture.
typedef struct {
  /// Stored size; orientations 5 to 8 show it with the sides swapped.
  int width, height;
  /// EXIF orientation, 1 to 8; pixels are stored so that the upright picture has red, green, blue
  /// and white quadrants (top left, top right, bottom left, bottom right). 0 writes no EXIF tag but
  /// stores pixels as `stored_as` says.
  int orientation, stored_as;
  /// Adds EXIF DateTimeOriginal and GPS, and an XMP packet that names a place.
  int has_metadata;
  /// Adds seeded noise of this strength, for a picture that is as heavy as a photo.
  int noise;
  /// Attaches this profile of libvips, such as "p3", without converting; NULL for none.
  const char *profile;
} cpictures_recipe;

/// Encodes to the format of `suffix`, for example ".jpg[Q=90]". Returns 0, or -1 with a message in
/// cpictures_error(). `bytes` is freed by cpictures_free.
int cpictures_make(
    const cpictures_recipe *recipe, const char *suffix, uint8_t **bytes, size_t *length);

/// A black 1-bit PNG of any size.
int cpictures_black_png(int width, int height, uint8_t **bytes, size_t *length);

/// Decodes to RGB, three bytes a pixel, as stored, without turning.
int cpictures_decode(
    const uint8_t *bytes, size_t length, int *width, int *height, uint8_t **pixels);

/// Whether a picture has transparency: 1, 0, or -1 with a message.
int cpictures_has_alpha(const uint8_t *bytes, size_t length);

void cpictures_free(uint8_t *bytes);
const char *cpictures_error(void);

#endif
