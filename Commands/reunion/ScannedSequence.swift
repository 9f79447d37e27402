import Foundation
import ReunionMedia

/// What `reunion scan` says of codes that hold a text together.
struct ScannedSequence {
  private let sequence: BarcodeSequence

  init(_ sequence: BarcodeSequence) { self.sequence = sequence }

  func say(_ output: Output) {
    var fields: [String: any Sendable] = [
      "kind": sequence.symbology.rawValue, "sequence": sequence.sequence,
    ]
    fields["count"] = sequence.count
    guard case .whole(let text, let bytes) = sequence.outcome else {
      if case .missing(let numbers) = sequence.outcome {
        fields["missing"] = numbers
      } else {
        fields["error"] = trouble
      }
      guard output.isJSON else { return output.remark([:], trouble) }
      return output.say(["joined": fields], "")
    }
    fields["text"] = text
    fields["bytes"] = Data(bytes).base64EncodedString()
    let count = sequence.parts.count.counted("part")
    output.say(["joined": fields], "\(sequence.symbology), \(count) joined: \(text.onOneLine)")
  }

  /// Why the parts are no whole, and what to do.
  private var trouble: String {
    let kind = "\(sequence.symbology)"
    let all = sequence.count.map { " of \($0)" } ?? ""
    switch sequence.outcome {
    case .whole: return ""
    case .missing(let numbers) where numbers.isEmpty:
      return "\(kind): nothing says how many parts there are, so they are not joined."
    case .missing(let numbers):
      let names = numbers.prefix(20).map(String.init)
      let list =
        names.count == 1
        ? "part \(names[0])\(all) is missing. Give its picture"
        : "parts \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")\(all) are missing."
          + " Give their pictures"
      return "\(kind): \(list) in the same call."
    case .mixed(let number):
      return "\(kind): two codes say that they are part \(number)\(all), and differ."
        + " Give the pictures of one text in a call."
    case .wrongParity:
      return
        "\(kind): the \(sequence.parts.count) parts do not belong together, or one was misread."
        + " Give the pictures of one text in a call, sharp and evenly lit."
    }
  }
}

extension Barcode.Part {
  /// For people.
  var words: String { "part \(number)" + (count.map { " of \($0)" } ?? "") }

  /// For programs.
  var fields: [String: any Sendable] {
    var fields: [String: any Sendable] = ["number": number, "sequence": sequence]
    fields["count"] = count
    return fields
  }
}
