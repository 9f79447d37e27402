#ifndef REUNION_CBARCODES_H
#define REUNION_CBARCODES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The part of zxing that Reunion needs, behind plain C: no exception leaves these functions.
/// They may be called from any thread. A function that fails returns a negative number and writes a
/// message that ends with a zero byte into `message`, a buffer of CBARCODES_MESSAGE_BYTES bytes.

#define CBARCODES_MESSAGE_BYTES 256

/// Encodes UTF-8 text as a QR code with a quiet zone of `margin` modules.
///
/// `modules` receives one byte a module, 1 for dark, row by row. Returns the side in modules;
/// cbarcodes_free frees the modules. `level` is 0 to 3 for L, M, Q and H.
int cbarcodes_write_qr(
    const char *text, size_t length, int level, int margin, uint8_t **modules, char *message);

/// Reads the first QR code of a picture of one byte a pixel, of which each side is at least 16.
///
/// Returns the length of the UTF-8 text, 0 when there is no code; cbarcodes_free frees the text.
/// For pictures of our own making: a picture from outside belongs in a process that may die.
int cbarcodes_read_qr(
    const uint8_t *pixels, int width, int height, uint8_t **text, char *message);

/// Frees what a function above returned.
void cbarcodes_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
