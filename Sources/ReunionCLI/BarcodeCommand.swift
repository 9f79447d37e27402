import Foundation
import ReunionMedia

/// `reunion barcode`: a barcode of a text, in the terminal or in a file.
enum BarcodeCommand {
  static let help = """
    Usage: reunion barcode KIND TEXT [--svg FILE] [--png FILE] [--json]

    Draws a barcode of TEXT in the terminal, or writes it to files; a FILE of - is standard output.

    Kinds:
    \(Symbology.allCases.map { "  \($0.rawValue)".padding(toLength: 15, withPad: " ", startingAt: 0)
        + holds($0) }.joined(separator: "\n"))

      reunion barcode qr https://example.org
      reunion barcode ean13 978014300723 --svg book.svg

    Exit codes: 0 done, 1 the file could not be written, 2 the kind cannot carry the text.
    """

  static var kinds: String { Symbology.allCases.map(\.rawValue).joined(separator: " ") }

  static func symbology(_ name: String?) throws -> Symbology {
    guard let name, let symbology = Symbology(rawValue: name.lowercased()) else {
      throw CommandFailure(2, "\(name ?? "Nothing") is not a kind of barcode. There are: \(kinds)")
    }
    return symbology
  }

  static func run(_ arguments: [String], _ output: Output, _ wantsHelp: Bool) throws {
    guard !wantsHelp else { return print(help) }
    var words: [String] = []
    var files: [(option: String, path: String)] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--svg", "--png":
        guard let path = rest.popFirst() else {
          throw CommandFailure(2, "\(word) needs the name of a file.")
        }
        files.append((word, path))
      // A text may begin with a dash, after the kind.
      case _ where words.isEmpty && word.hasPrefix("-"):
        throw CommandFailure(2, "\(word) is not an option of barcode. See reunion barcode --help.")
      default: words.append(word)
      }
    }
    guard words.count == 2 else {
      throw CommandFailure(
        2, "Say which kind of barcode, and the text as one word in quotes.\n\n\(help)")
    }
    let symbology = try symbology(words[0])
    let matrix: BarcodeMatrix
    do {
      matrix = try BarcodeMatrix(encoding: words[1], as: symbology)
    } catch {
      throw CommandFailure(2, error.message)
    }
    guard !files.isEmpty else { return draw(matrix, words[1], symbology, output) }
    for (option, path) in files {
      let bytes =
        option == "--svg"
        ? Data((matrix.svg(title: "\(symbology): \(words[1])") + "\n").utf8) : Data(matrix.png())
      guard path != "-" else {
        FileHandle.standardOutput.write(bytes)
        continue
      }
      do {
        try bytes.write(to: URL(filePath: path))
      } catch {
        throw CommandFailure(1, "\(path) could not be written: \(error.localizedDescription)")
      }
      output.say(
        ["file": path, "kind": symbology.rawValue, "bytes": bytes.count],
        "\(path): \(symbology), \(bytes.count) bytes.")
    }
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
    if isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
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
