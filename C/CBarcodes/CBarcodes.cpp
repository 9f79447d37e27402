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
#include <new>
#include <string>
#include <utility>

namespace {

using ZXing::BarcodeFormat;

constexpr std::pair<uint32_t, BarcodeFormat> kFormats[] = {
    {CBARCODES_QR, BarcodeFormat::QRCode},
    {CBARCODES_AZTEC, BarcodeFormat::Aztec},
    {CBARCODES_PDF417, BarcodeFormat::PDF417},
    {CBARCODES_CODE128, BarcodeFormat::Code128},
    {CBARCODES_CODE39, BarcodeFormat::Code39},
    {CBARCODES_CODE93, BarcodeFormat::Code93},
    {CBARCODES_EAN13, BarcodeFormat::EAN13},
    {CBARCODES_EAN8, BarcodeFormat::EAN8},
    {CBARCODES_UPCE, BarcodeFormat::UPCE},
    {CBARCODES_UPCA, BarcodeFormat::UPCA},
    {CBARCODES_DATAMATRIX, BarcodeFormat::DataMatrix},
    {CBARCODES_ITF, BarcodeFormat::ITF},
    {CBARCODES_CODABAR, BarcodeFormat::Codabar},
};

constexpr uint32_t kLinear = CBARCODES_CODE128 | CBARCODES_CODE39 | CBARCODES_CODE93 |
                             CBARCODES_EAN13 | CBARCODES_EAN8 | CBARCODES_UPCE | CBARCODES_UPCA |
                             CBARCODES_ITF | CBARCODES_CODABAR;
constexpr int kSidePixelsMin = 16;
constexpr int kSideModulesMax = 1024;

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

/// A copy on the C heap; the one byte more keeps an empty one from being NULL.
uint8_t *copied(const void *bytes, size_t length) {
  auto *copy = static_cast<uint8_t *>(std::malloc(length + 1));
  if (copy == nullptr) throw std::bad_alloc();
  if (length > 0) std::memcpy(copy, bytes, length);
  return copy;
}

uint32_t symbology(BarcodeFormat format) {
  for (const auto &[bit, known] : kFormats)
    if (known == format) return bit;
  return 0;
}

int read(
    const uint8_t *pixels, int width, int height, uint32_t symbologies, ZXing::DecodeHints hints,
    cbarcodes_result **results, char *message) {
  *results = nullptr;
  return guarded(message, [&] {
    if (width < kSidePixelsMin || height < kSidePixelsMin) return 0;
    ZXing::BarcodeFormats formats;
    for (const auto &[bit, format] : kFormats)
      if (symbologies & bit) formats |= format;
    if (formats.empty()) return 0;  // which would mean all that there are
    hints.setFormats(formats);
    const ZXing::ImageView view(pixels, width, height, ZXing::ImageFormat::Lum);
    const auto codes = ZXing::ReadBarcodes(view, hints);
    auto *found =
        static_cast<cbarcodes_result *>(std::calloc(codes.size() + 1, sizeof(cbarcodes_result)));
    if (found == nullptr) throw std::bad_alloc();
    int count = 0;
    try {
      for (const auto &code : codes) {
        const uint32_t bit = symbology(code.format());
        if (!code.isValid() || !(bit & symbologies)) continue;
        auto &out = found[count++];
        out.symbology = bit;
        const std::string text = code.text();
        out.text = copied(text.data(), text.size());
        out.text_length = text.size();
        out.bytes = copied(code.bytes().data(), code.bytes().size());
        out.bytes_length = code.bytes().size();
        for (int at = 0; at < 4; at++) {
          out.corners[2 * at] = code.position()[at].x;
          out.corners[2 * at + 1] = code.position()[at].y;
        }
        out.line_count = code.lineCount();
        out.part_index = code.isPartOfSequence() ? code.sequenceIndex() : -1;
        out.part_count = code.isPartOfSequence() ? code.sequenceSize() : -1;
        const std::string sequence = code.sequenceId();
        out.sequence = copied(sequence.data(), sequence.size());
        out.sequence_length = sequence.size();
      }
    } catch (...) {
      cbarcodes_free_results(found, count);
      throw;
    }
    *results = found;
    return count;
  });
}

}  // namespace

int cbarcodes_write(
    uint32_t symbology, const char *text, size_t length, int level, int margin, uint8_t **modules,
    int *width, int *height, char *message) {
  *modules = nullptr;
  return guarded(message, [&] {
    const auto *const format = std::find_if(
        std::begin(kFormats), std::end(kFormats),
        [&](const auto &pair) { return pair.first == symbology; });
    if (format == std::end(kFormats)) return fail(message, "no such symbology");
    const std::string contents(text, length);
    const bool isASCII = std::all_of(contents.begin(), contents.end(), [](char letter) {
      return static_cast<unsigned char>(letter) < 0x80;
    });
    ZXing::MultiFormatWriter writer(format->second);
    // ASCII goes without a character set: some old readers stumble over the marker.
    if (!isASCII) writer.setEncoding(ZXing::CharacterSet::UTF8);
    writer.setMargin(margin);
    if (level >= 0) writer.setEccLevel(level);
    const ZXing::BitMatrix matrix = writer.encode(contents, 0, 0);
    *width = matrix.width();
    *height = matrix.height();
    if (*width <= 0 || *width > kSideModulesMax || *height <= 0 || *height > kSideModulesMax)
      return fail(message, "more modules than fit");
    auto *out = static_cast<uint8_t *>(std::malloc(static_cast<size_t>(*width) * *height));
    if (out == nullptr) throw std::bad_alloc();
    for (int y = 0; y < *height; y++)
      for (int x = 0; x < *width; x++) out[y * *width + x] = matrix.get(x, y) ? 1 : 0;
    *modules = out;
    return 0;
  });
}

int cbarcodes_read(
    const uint8_t *pixels, int width, int height, uint32_t symbologies, int lines_min,
    cbarcodes_result **results, char *message) {
  ZXing::DecodeHints hints;
  // zxing 1.4.0 aborts the process where it compares two linear codes that say the same: of two
  // sizes of the picture, or two on one picture.
  hints.setTryDownscale(false);
  if (symbologies & kLinear) hints.setMaxNumberOfSymbols(1);
  hints.setReturnCodabarStartEnd(true);
  hints.setMinLineCount(static_cast<uint8_t>(std::clamp(lines_min, 1, 200)));
  return read(pixels, width, height, symbologies, hints, results, message);
}

int cbarcodes_read_by_default(
    const uint8_t *pixels, int width, int height, uint32_t symbologies,
    cbarcodes_result **results, char *message) {
  ZXing::DecodeHints hints;
  hints.setReturnCodabarStartEnd(true);
  return read(pixels, width, height, symbologies, hints, results, message);
}

void cbarcodes_free(uint8_t *bytes) { std::free(bytes); }

void cbarcodes_free_results(cbarcodes_result *results, int count) {
  for (int at = 0; at < count; at++) {
    std::free(results[at].text);
    std::free(results[at].bytes);
    std::free(results[at].sequence);
  }
  std::free(results);
}
