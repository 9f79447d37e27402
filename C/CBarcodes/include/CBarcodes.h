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

/// The symbologies, one bit each. The numbers are part of the protocol between worker and host.
enum {
  CBARCODES_QR = 1 << 0,
  CBARCODES_AZTEC = 1 << 1,
  CBARCODES_PDF417 = 1 << 2,
  CBARCODES_CODE128 = 1 << 3,
  CBARCODES_CODE39 = 1 << 4,
  CBARCODES_CODE93 = 1 << 5,
  CBARCODES_EAN13 = 1 << 6,
  CBARCODES_EAN8 = 1 << 7,
  CBARCODES_UPCE = 1 << 8,
  CBARCODES_UPCA = 1 << 9,
  CBARCODES_DATAMATRIX = 1 << 10,
  CBARCODES_ITF = 1 << 11,
  CBARCODES_CODABAR = 1 << 12,
};

/// One code that was found; cbarcodes_free_results frees `text`, `bytes` and `sequence`.
typedef struct {
  uint32_t symbology;
  /// UTF-8.
  uint8_t *text;
  size_t text_length;
  /// What the code holds, before any character set is applied.
  uint8_t *bytes;
  size_t bytes_length;
  /// x and y of the code's own top left, top right, bottom right and bottom left.
  int corners[8];
  /// Scan lines that agreed, for linear symbologies.
  int line_count;
  /// Which part of a sequence of codes it is, from 0, and of how many, 0 where the code does not say;
  /// -1 for a code that is whole.
  int part_index;
  int part_count;
  /// What the parts of a sequence have in common.
  uint8_t *sequence;
  size_t sequence_length;
} cbarcodes_result;

/// Encodes UTF-8 text with a quiet zone of `margin` modules, one row for linear symbologies.
///
/// `modules` receives one byte a module, 1 for dark, row by row; cbarcodes_free frees them. `level`
/// of error correction is 0 to 8, or -1 for the symbology's own. Returns 0.
int cbarcodes_write(
    uint32_t symbology, const char *text, size_t length, int level, int margin, uint8_t **modules,
    int *width, int *height, char *message);

/// Finds codes of the symbologies in a picture of one byte a pixel; sides of less than 16 pixels
/// hold none. Returns how many, at most one where there is a linear symbology among them;
/// cbarcodes_free_results frees them.
///
/// Only options that are safe in zxing 1.4.0 are used, but a picture from outside belongs into a
/// process that may die all the same.
int cbarcodes_read(
    const uint8_t *pixels, int width, int height, uint32_t symbologies, int lines_min,
    cbarcodes_result **results, char *message);

/// The same with zxing's own default options, which abort on some pictures: for comparison.
int cbarcodes_read_by_default(
    const uint8_t *pixels, int width, int height, uint32_t symbologies,
    cbarcodes_result **results, char *message);

/// Frees what cbarcodes_write returned.
void cbarcodes_free(uint8_t *bytes);

/// Frees what a reading function returned.
void cbarcodes_free_results(cbarcodes_result *results, int count);

#ifdef __cplusplus
}
#endif

#endif
