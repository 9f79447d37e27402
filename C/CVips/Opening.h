#ifndef REUNION_CVIPS_OPENING_H
#define REUNION_CVIPS_OPENING_H

#include "CVips.h"

#include <vips/vips.h>

/// Calls the one loader of the format, so that no other loader ever sees the bytes. Of one that
/// `is_broken` it gives what it can.
VipsImage *cvips_load(
    cvips_format format, const void *bytes, size_t length, bool is_broken, int shrink);

/// Loads the header, with the checks that come before any decoding.
cvips_status cvips_open_checked(
    cvips_format format, const void *bytes, size_t length, int64_t pixels_max, bool is_broken,
    VipsImage **image, char *message);

/// Says why a picture of a known format does not decode. `pixels` is their number, if it is known.
cvips_status cvips_decoding_failed(
    cvips_format format, const uint8_t *bytes, size_t length, int64_t pixels, char *message);

#endif
