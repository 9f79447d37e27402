#define _DEFAULT_SOURCE
#define __STDC_WANT_LIB_EXT1__ 1

#include "CKeys.h"

#include <string.h>

static uint8_t digit(uint8_t letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; }

static uint8_t byte(const uint8_t *digits) {
  return (uint8_t)(digit(digits[0]) << 4 | digit(digits[1]));
}

void ckeys_unmask(uint8_t *out, const uint8_t *pad, const uint8_t *masked, size_t count) {
  for (size_t at = 0; at < count; at++) out[at] = byte(pad + 2 * at) ^ byte(masked + 2 * at);
}

void ckeys_wipe(void *bytes, size_t count) {
#if defined(__APPLE__)
  memset_s(bytes, count, 0, count);
#else
  explicit_bzero(bytes, count);
#endif
}
