#define ZX_USE_UTF8 1

#include "CBarcodes.h"

#include <ZXing/BarcodeFormat.h>
#include <ZXing/BitMatrix.h>
#include <ZXing/CharacterSet.h>
#include <ZXing/DecodeHints.h>
#include <ZXing/MultiFormatWriter.h>
#include <ZXing/ReadBarcode.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

namespace {

int fail(char *message, const char *text) {
  std::snprintf(message, CBARCODES_MESSAGE_BYTES, "%s", text);
  return -1;
}

/// Runs `body`, and turns every exception into a message.
template <typename Body>
int guarded(char *message, Body body) noexcept {
  try {
    return body();
  } catch (const std::exception &error) {
    return fail(message, error.what());
  } catch (...) {
    return fail(message, "unknown exception");
  }
}

}  // namespace

int cbarcodes_write_qr(
    const char *text, size_t length, int level, int margin, uint8_t **modules, char *message) {
  *modules = nullptr;
  return guarded(message, [&] {
    const std::string contents(text, length);
    const bool isASCII = std::all_of(contents.begin(), contents.end(), [](char letter) {
      return static_cast<unsigned char>(letter) < 0x80;
    });
    ZXing::MultiFormatWriter writer(ZXing::BarcodeFormat::QRCode);
    // ASCII goes without a character set: some old readers stumble over the marker.
    if (!isASCII) writer.setEncoding(ZXing::CharacterSet::UTF8);
    writer.setMargin(margin);
    writer.setEccLevel(level * 2 + 1);  // of 0...8, two steps a level
    const ZXing::BitMatrix matrix = writer.encode(contents, 0, 0);
    const int side = matrix.width();
    if (side <= 0 || side > 1024 || matrix.height() != side) return fail(message, "odd matrix");
    auto *out = static_cast<uint8_t *>(std::malloc(static_cast<size_t>(side) * side));
    if (out == nullptr) return fail(message, "out of memory");
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++) out[y * side + x] = matrix.get(x, y) ? 1 : 0;
    *modules = out;
    return side;
  });
}

int cbarcodes_read_qr(
    const uint8_t *pixels, int width, int height, uint8_t **text, char *message) {
  *text = nullptr;
  return guarded(message, [&] {
    if (width < 16 || height < 16) return fail(message, "smaller than 16 pixels");
    ZXing::DecodeHints hints;
    hints.setFormats(ZXing::BarcodeFormat::QRCode);
    hints.setTryDownscale(false);  // aborts the process on some pictures in zxing 1.4.0
    hints.setMaxNumberOfSymbols(1);
    const ZXing::ImageView view(pixels, width, height, ZXing::ImageFormat::Lum);
    const ZXing::Result result = ZXing::ReadBarcode(view, hints);
    if (!result.isValid()) return 0;
    const std::string found = result.text();
    auto *out = static_cast<uint8_t *>(std::malloc(found.size() + 1));
    if (out == nullptr) return fail(message, "out of memory");
    std::memcpy(out, found.data(), found.size());
    *text = out;
    return static_cast<int>(found.size());
  });
}

void cbarcodes_free(uint8_t *bytes) { std::free(bytes); }
