import Foundation
import ReunionMedia

/// Reads barcodes of the pictures that are named after the word `barcodes` or `barcodes-by-default`,
/// and prints an object a picture, for benchmarks.
func barcodeLines() async throws {
  let words = Array(CommandLine.arguments.dropFirst())
  let reader = BarcodeReader(
    program: "/proc/self/exe", arguments: [ImageWorker.argument], limits: ImageLimits(),
    byDefault: words.first == "barcodes-by-default")
  for file in words.dropFirst() {
    let clock = ContinuousClock()
    let began = clock.now
    var codes: [Barcode] = []
    var failure: String?
    do {
      codes = try await reader.read(file)
    } catch {
      failure = error.code.description
    }
    let took = (clock.now - began) / .milliseconds(1)
    var fields: [String: Any] = [
      "file": file, "milliseconds": took,
      "codes": codes.map { ["kind": $0.symbology.rawValue, "text": $0.text] },
    ]
    if let failure { fields["failure"] = failure }
    FileHandle.standardOutput.write(
      try JSONSerialization.data(withJSONObject: fields) + Data("\n".utf8))
  }
}
