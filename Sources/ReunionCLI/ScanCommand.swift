import Foundation
import Reunion
import ReunionMedia

/// `reunion scan`: the barcodes of pictures.
enum ScanCommand {
  static let help = """
    Usage: reunion scan FILE… [--kind KIND]… [--json]

    Finds barcodes in pictures (JPEG, PNG, WebP, HEIC, AVIF, GIF): several in one, turned by any
    angle, light on dark. Prints a line a code. With --json an object a picture: {"file", "codes"},
    of each code its "kind", "text", "bytes" in base64, and "corners", x and y from the top left of
    the picture shown upright; {"file", "error"} for one that cannot be read.

      --kind KIND   looks for these alone; a Code 39 with a check character is code39mod43 where
                    code39 is not asked for

    Kinds: \(BarcodeCommand.kinds)

    Exit codes: 0 found, 1 nothing was found, 2 not understood, 5 a picture could not be read.
    """

  static func run(
    _ arguments: [String], _ output: Output, _ wantsHelp: Bool, _ signals: StopSignals
  ) throws {
    guard !wantsHelp else { return print(help) }
    var files: [String] = []
    var symbologies: Set<Symbology> = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--kind" {
        symbologies.insert(try BarcodeCommand.symbology(rest.popFirst()))
      } else if word.hasPrefix("-") {
        throw CommandFailure(2, "\(word) is not an option of scan. See reunion scan --help.")
      } else {
        files.append(word)
      }
    }
    guard !files.isEmpty else { throw CommandFailure(2, "Say which pictures.\n\n\(help)") }
    let wanted = symbologies.isEmpty ? Set(Symbology.allCases) : symbologies
    do {
      try scan(files, wanted, output, signals)
    } catch is Stopped {
      throw CommandFailure(1, "Stopped before all pictures were read.")
    }
  }

  private static func scan(
    _ files: [String], _ symbologies: Set<Symbology>, _ output: Output, _ signals: StopSignals
  ) throws {
    let reader = BarcodeReader()
    var (codeCount, failureCount) = (0, 0)
    var told = Date()
    for (index, file) in files.enumerated() {
      if Date().timeIntervalSince(told) > 2, isatty(STDERR_FILENO) == 1 {
        told = Date()
        let line = "\(index) of \(files.count) pictures, \(codeCount) codes so far.\n"
        FileHandle.standardError.write(Data(line.utf8))
      }
      do {
        let codes = try signals.outcome { try await reader.read(file, for: symbologies) }
        codeCount += codes.count
        say(codes, of: file, isOnly: files.count == 1, output)
      } catch let error as ImageError {
        guard error.code != .workerUnavailable else { throw CommandFailure(1, error.description) }
        failureCount += 1
        let sentence =
          error.code == .unreadable
          ? "There is no such picture, or it may not be read." : error.description
        if output.isJSON {
          output.say(["file": file, "error": sentence], "")
        } else {
          FileHandle.standardError.write(Data("\(plain(file)): \(sentence)\n".utf8))
        }
      }
    }
    if failureCount > 0 {
      let pictures = failureCount == 1 ? "1 picture" : "\(failureCount) pictures"
      throw CommandFailure(5, "\(pictures) of \(files.count) could not be read.")
    }
    guard codeCount > 0 else {
      throw CommandFailure(
        1, "No barcode was found. Take the picture from nearer, sharp and evenly lit.")
    }
  }

  private static func say(_ codes: [Barcode], of file: String, isOnly: Bool, _ output: Output) {
    guard !output.isJSON else {
      let fields: [[String: any Sendable]] = codes.map { code in
        [
          "kind": code.symbology.rawValue, "text": code.text,
          "bytes": Data(code.bytes).base64EncodedString(),
          "corners": code.corners.map { [Int($0.x.rounded()), Int($0.y.rounded())] },
        ]
      }
      return output.say(["file": file, "codes": fields], "")
    }
    let name = isOnly ? "" : "\(plain(file)): "
    for code in codes { output.say([:], "\(name)\(code.symbology): \(plain(code.text))") }
    if codes.isEmpty, !isOnly { output.say([:], "\(name)no barcode") }
  }

  /// On one line, and without what would steer the terminal.
  private static func plain(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case _
      where [.control, .format, .lineSeparator, .paragraphSeparator].contains(
        scalar.properties.generalCategory):
        "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }.joined()
  }
}
