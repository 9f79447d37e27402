import Foundation
import ReunionCommandLine
import ReunionCore

/// Messages that somebody caught on their way, in their order.
///
/// It reads what people have: the HAR file that a browser's network panel saves, lines of hex or Base64, and the
/// bytes of one message.
struct Capture {
  /// Which way a message went, seen from where it was caught.
  enum Way: String { case sent, received, unknown }

  /// One message as it was caught.
  struct Frame {
    let way: Way
    let bytes: [UInt8]
    /// The WebSocket that carried it, counted from 0: what is said on one does not number the sites of another.
    let link: Int
    /// When, in seconds since 1970; nil where the capture does not say.
    let seconds: Double?
  }

  /// The most bytes of a capture that are read.
  static let bytesMax = 256 << 20

  let frames: [Frame]

  /// Reads a capture.
  ///
  /// - Throws: a sentence with the line, for what is none.
  init(_ bytes: [UInt8]) throws(CommandFailure) {
    guard let first = bytes.first else { throw CommandFailure(1, "There is nothing in it.") }
    if first == 1 {
      frames = [Frame(way: .unknown, bytes: bytes, link: 0, seconds: nil)]
    } else if bytes.first(where: { !Self.isBlank($0) }) == UInt8(ascii: "{") {
      frames = try Self.archive(bytes)
    } else {
      frames = try Self.lines(bytes)
    }
    guard !frames.isEmpty else {
      throw CommandFailure(
        1,
        "It holds no messages: a HAR file has them only if its WebSocket was open while the panel was."
      )
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }

  /// The binary messages of all WebSockets of a HAR file, as Chromium's browsers write them.
  private static func archive(_ bytes: [UInt8]) throws(CommandFailure) -> [Frame] {
    guard let file = try? JSONDecoder().decode(Archive.self, from: Data(bytes)) else {
      throw CommandFailure(
        1, "It begins like a HAR file and is none: save it anew from the browser's network panel.")
    }
    var frames: [Frame] = []
    for (link, entry) in file.log.entries.filter({ $0._webSocketMessages != nil }).enumerated() {
      for message in entry._webSocketMessages ?? [] where message.opcode == 2 {
        guard let data = Data(base64Encoded: message.data) else {
          throw CommandFailure(1, "Message \(frames.count + 1) of the HAR file is not in Base64.")
        }
        frames.append(
          Frame(
            way: message.type == "send" ? .sent : .received, bytes: Array(data), link: link,
            seconds: message.time))
      }
    }
    return frames
  }

  /// What of a HAR file tells of WebSockets.
  private struct Archive: Decodable {
    struct Log: Decodable { let entries: [Entry] }
    struct Entry: Decodable { let _webSocketMessages: [Message]? }
    struct Message: Decodable {
      let type: String
      let time: Double
      let opcode: Int
      let data: String
    }
    let log: Log
  }

  /// A message a line: `>` where it was sent, `<` where it was received, and its bytes in hex or Base64.
  private static func lines(_ bytes: [UInt8]) throws(CommandFailure) -> [Frame] {
    var frames: [Frame] = []
    for (number, line) in String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).enumerated() {
      var text = line.trimmingCharacters(in: .whitespaces)
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      let way: Way = text.hasPrefix(">") ? .sent : text.hasPrefix("<") ? .received : .unknown
      if way != .unknown { text = text.dropFirst().trimmingCharacters(in: .whitespaces) }
      let digits = text.filter { !$0.isWhitespace && $0 != ":" }
      guard let message = Hexadecimal.bytes(digits) ?? Data(base64Encoded: text).map(Array.init)
      else {
        throw CommandFailure(
          1, "Line \(number + 1) is no message: a line is > or <, then its bytes in hex or Base64.")
      }
      frames.append(Frame(way: way, bytes: message, link: 0, seconds: nil))
    }
    return frames
  }
}
