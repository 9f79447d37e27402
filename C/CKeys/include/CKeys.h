#ifndef REUNION_CKEYS_H
#define REUNION_CKEYS_H

#include <stddef.h>
#include <stdint.h>

/// In C, so that no Swift optimiser sees a pad and the masked bytes beside each other and puts the key
/// itself into the program.

/// Writes the XOR of two texts of hexadecimal digits, `count` bytes each, to `out`.
void ckeys_unmask(uint8_t *out, const uint8_t *pad, const uint8_t *masked, size_t count);

/// Writes zeros that no optimiser takes away.
void ckeys_wipe(void *bytes, size_t count);

#endif
