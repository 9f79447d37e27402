#include "CVips.h"

#include <string.h>

static int starts_with(const void *bytes, size_t length, size_t at, const char *magic, size_t count) {
  return length >= at + count && memcmp((const char *)bytes + at, magic, count) == 0;
}

/// Tells HEIC and AVIF by the brands of the `ftyp` box.
static cvips_format sniff_brands(const uint8_t *bytes, size_t length) {
  size_t end = ((size_t)bytes[0] << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3];
  if (end > length) end = length;
  if (end > 256) end = 256;
  cvips_format found = CVIPS_FORMAT_NONE;
  for (size_t at = 8; at + 4 <= end; at += 4) {
    if (at == 12) continue;  // the minor version
    if (starts_with(bytes, end, at, "avif", 4) || starts_with(bytes, end, at, "avis", 4))
      return CVIPS_FORMAT_AVIF;
    if (starts_with(bytes, end, at, "hei", 3) || starts_with(bytes, end, at, "hev", 3) ||
        starts_with(bytes, end, at, "mif1", 4) || starts_with(bytes, end, at, "msf1", 4))
      found = CVIPS_FORMAT_HEIC;
  }
  return found;
}

cvips_format cvips_sniff(const void *bytes, size_t length) {
  if (starts_with(bytes, length, 0, "\xFF\xD8\xFF", 3)) return CVIPS_FORMAT_JPEG;
  if (starts_with(bytes, length, 0, "\x89PNG\r\n\x1A\n", 8)) return CVIPS_FORMAT_PNG;
  if (starts_with(bytes, length, 0, "RIFF", 4) && starts_with(bytes, length, 8, "WEBP", 4))
    return CVIPS_FORMAT_WEBP;
  if (starts_with(bytes, length, 0, "GIF87a", 6) || starts_with(bytes, length, 0, "GIF89a", 6))
    return CVIPS_FORMAT_GIF;
  if (starts_with(bytes, length, 4, "ftyp", 4) && length >= 12) return sniff_brands(bytes, length);
  if (starts_with(bytes, length, 0, "II*\0", 4) || starts_with(bytes, length, 0, "MM\0*", 4) ||
      starts_with(bytes, length, 0, "BM", 2) || starts_with(bytes, length, 0, "8BPS", 4) ||
      starts_with(bytes, length, 0, "\xFF\x0A", 2) ||
      starts_with(bytes, length, 4, "JXL \r\n", 6) || starts_with(bytes, length, 4, "jP  \r\n", 6))
    return CVIPS_FORMAT_OTHER;
  return CVIPS_FORMAT_NONE;
}
