import Foundation
import Reunion
import ReunionCommandLine
import ReunionMedia

/// `reunion scan`: the barcodes of pictures.
enum ScanCommand {
  private static let help = """
    Usage: reunion scan FILE… [--kind KIND]… [--json]

    Finds barcodes in pictures (JPEG, PNG, WebP, HEIC, AVIF, GIF): several in one, turned by any
    angle, light on dark. A FILE of - is standard input. Prints a line for each code. With --json an
    object for each picture: {"file", "codes"}, with each code's "kind", "text", "bytes" in base64,
    and "corners", x and y from the top left of the upright picture; {"file", "error"} for one that
    cannot be read.

    Some texts are in several codes. Each says which part it is, with --json in "part": {"number",
    "count", "sequence"}. If all parts are in the pictures of one call, their text comes at the end,
    whatever the order; if not, it says which are missing. With --json that is {"joined": {"kind",
    "count", "sequence", "text", "bytes"}}, with "missing" or "error" in place of text and bytes.

      --kind KIND   looks for these only; a Code 39 with a check character is code39mod43 unless
                    you ask for code39

    Kinds, also as they are printed, such as EAN-13:
      \(BarcodeCommand.kinds)

    Exit codes: 0 found, 1 nothing was found, or no picture could be read, 2 not understood, 5 some
    of the pictures could not be read.
    """

  static let verb = Verb("scan", help: help) { arguments, output, signals in
    let kinds = Set(try arguments.values(of: "--kind").map(BarcodeCommand.symbology))
    let files = try arguments.rest(1...Int.max, or: "Say which pictures.")
    do {
      try scan(files, kinds, output, signals)
    } catch is Stopped {
      throw CommandFailure(1, "Stopped before all pictures were read.")
    }
  }

  private static func scan(
    _ files: [String], _ kinds: Set<Symbology>, _ output: Output, _ signals: StopSignals
  ) throws {
    let reader = BarcodeReader()
    var (found, failures) = ([Barcode](), [CommandFailure]())
    var told = Date()
    for (index, file) in files.enumerated() {
      if Date().timeIntervalSince(told) > 2, isatty(STDERR_FILENO) == 1, !output.isJSON {
        told = Date()
        warn("\(index) of \(files.count) pictures, \(found.count.counted("code")) so far.")
      }
      do {
        let codes = try codes(in: file, kinds, reader, signals)
        found += codes
        say(codes, of: file, isOnly: files.count == 1, output)
      } catch let failure as CommandFailure {
        failures.append(failure)
        if output.isJSON {
          output.say(["file": file, "error": failure.sentence], "")
        } else if files.count > 1 {
          warn(failure.sentence)
        }
      }
    }
    for sequence in BarcodeSequence.all(in: found) { ScannedSequence(sequence).say(output) }
    guard failures.isEmpty else {
      guard failures.count == files.count else {
        throw CommandFailure(
          5, "\(failures.count) of \(files.count) pictures could not be read.")
      }
      throw files.count == 1
        ? failures[0] : CommandFailure(1, "None of the \(files.count) pictures could be read.")
    }
    guard found.isEmpty else { return }
    let advice =
      kinds.isEmpty
      ? "No barcode was found. Take the picture from nearer, sharp and evenly lit."
      : "No barcode of that kind was found. Leave out --kind to look for all kinds."
    throw CommandFailure(1, advice)
  }

  private static func codes(
    in file: String, _ kinds: Set<Symbology>, _ reader: BarcodeReader, _ signals: StopSignals
  ) throws -> [Barcode] {
    let copy = FileManager.default.temporaryDirectory.appending(path: "reunion-\(UUID())").path
    defer { unlink(copy) }
    do {
      return try signals.outcome {
        try await reader.read(
          try picture(file, copiedTo: copy), for: kinds.isEmpty ? Set(Symbology.allCases) : kinds)
      }
    } catch let error as ImageError {
      guard error.code != .workerUnavailable else {
        throw CommandFailure(1, "The process that reads pictures did not start: \(error.detail).")
      }
      throw CommandFailure(1, "\(file.onOneLine): \(error.description)")
    }
  }

  /// The file itself, or a copy of what comes by a pipe: pictures are read by another process.
  private static func picture(_ name: String, copiedTo copy: String) throws -> String {
    let input = try InputFile(name)
    if input.byteCount != nil, name != "-", !name.hasPrefix("/dev/") { return name }
    guard !input.isDevice || name == "-" else {
      throw CommandFailure(1, "\(name) is a device: name a picture.")
    }
    try OutputFile.write(try input.rest(bytesMax: ImageLimits().fileBytesMax), to: copy)
    return copy
  }

  private static func warn(_ sentence: String) {
    FileHandle.standardError.write(Data((sentence + "\n").utf8))
  }

  private static func say(_ codes: [Barcode], of file: String, isOnly: Bool, _ output: Output) {
    guard !output.isJSON else {
      let fields = codes.map { code in
        var fields: [String: any Sendable] = [
          "kind": code.symbology.rawValue, "text": code.text,
          "bytes": Data(code.bytes).base64EncodedString(),
          "corners": code.corners.map { [Int($0.x.rounded()), Int($0.y.rounded())] },
        ]
        fields["part"] = code.part?.fields
        return fields
      }
      return output.say(["file": file, "codes": fields], "")
    }
    let name = isOnly ? "" : "\(file.onOneLine): "
    for code in codes {
      let part = code.part.map { ", \($0.words)" } ?? ""
      output.say([:], "\(name)\(code.symbology)\(part): \(code.text.onOneLine)")
    }
    if codes.isEmpty, !isOnly { output.say([:], "\(name)no barcode") }
  }
}
