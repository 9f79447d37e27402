import Foundation
import ReunionMedia

/// `reunion barcode`: a barcode of a text, in the terminal or in a file.
enum BarcodeCommand {
  private static let help = """
    Usage: reunion barcode KIND TEXT [--svg FILE] [--png FILE] [--json]

    Draws a barcode of TEXT in the terminal, or writes it to files; a FILE of - is standard output,
    and with --json a field, "svg" or in base64 "png". A TEXT that begins with a dash goes after --.

    Kinds, also as scan names them, such as EAN-13:
    \(Symbology.allCases.map { "  \($0.rawValue)".padding(toLength: 15, withPad: " ", startingAt: 0)
        + holds($0) }.joined(separator: "\n"))

      reunion barcode qr https://example.org
      reunion barcode ean13 978014300723 --svg book.svg
      reunion barcode code128 -- -40

    Exit codes: 0 done, 1 the file could not be written, 2 not understood, or the kind cannot carry
    the text.
    """

  static let verb = Verb("barcode", help: help, isPrivate: false) { arguments, output, _ in
    try run(&arguments, output)
  }

  static var kinds: String { Symbology.allCases.map(\.rawValue).joined(separator: " ") }

  /// A kind by its short name or its own, in any case: `ean13` and `EAN-13` are the same.
  static func symbology(_ name: String) throws -> Symbology {
    func key(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    let found = Symbology.allCases.first {
      [key($0.rawValue), key($0.description)].contains(key(name))
    }
    guard let found else {
      throw CommandFailure(2, "\(name) is not a kind of barcode. There are: \(kinds)")
    }
    return found
  }

  private static func run(_ arguments: inout Arguments, _ output: Output) throws {
    let svg = try arguments.value(of: "--svg")
    let png = try arguments.value(of: "--png")
    let words = try arguments.rest(
      2...2, or: "Say which kind of barcode, and the text as one word in quotes.")
    let symbology = try symbology(words[0])
    let matrix: BarcodeMatrix
    let text: String
    do {
      text = try symbology.carried(words[1])
      matrix = try BarcodeMatrix(encoding: words[1], as: symbology)
    } catch {
      throw CommandFailure(2, error.message)
    }
    guard svg != nil || png != nil else { return draw(matrix, text, symbology, output) }
    if let svg {
      let drawing = matrix.svg(title: "\(symbology): \(text)") + "\n"
      try write(Array(drawing.utf8), "svg", drawing, to: svg, symbology, output)
    }
    if let png {
      let bytes = matrix.png()
      try write(bytes, "png", Data(bytes).base64EncodedString(), to: png, symbology, output)
    }
  }

  private static func write(
    _ bytes: [UInt8], _ format: String, _ text: String, to path: String, _ symbology: Symbology,
    _ output: Output
  ) throws {
    var fields: [String: any Sendable] = [
      "file": path, "kind": symbology.rawValue, "bytes": bytes.count,
    ]
    if path == "-" {
      guard output.isJSON else { return FileHandle.standardOutput.write(Data(bytes)) }
      fields[format] = text
    } else {
      try OutputFile.write(bytes, to: path)
    }
    output.say(fields, "\(path): \(symbology), \(bytes.count) bytes.")
  }

  private static func draw(
    _ matrix: BarcodeMatrix, _ text: String, _ symbology: Symbology, _ output: Output
  ) {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let drawing = matrix.terminal(isTerminal ? .colored : .plainOnDark)
    output.say(
      ["kind": symbology.rawValue, "text": text, "width": matrix.width, "height": matrix.height],
      String(drawing.dropLast()))
    var size = winsize()
    if isTerminal, !output.isJSON, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0,
      matrix.width > Int(size.ws_col)
    {
      let advice =
        "The code is \(matrix.width) columns wide, and this window \(size.ws_col):"
        + " widen it, or write a picture with --svg FILE.\n"
      FileHandle.standardError.write(Data(advice.utf8))
    }
  }

  private static func holds(_ symbology: Symbology) -> String {
    switch symbology {
    case .qr, .aztec, .pdf417: "any text"
    case .dataMatrix: "Latin-1"
    case .code128, .code93: "ASCII, up to 80 characters"
    case .code39: "digits, capitals, space and - . $ / + %, up to 60"
    case .code39Mod43: "the same; a check character is added"
    case .ean13: "13 digits, or 12 and the check digit is added"
    case .ean8: "8 digits, or 7"
    case .upcE: "8 digits that begin with 0 or 1, or 7"
    case .upcA: "12 digits, or 11"
    case .itf: "an even number of digits, 6 to 80"
    case .codabar: "digits and - $ : / . +, between two letters A to D, or A is added"
    }
  }
}
