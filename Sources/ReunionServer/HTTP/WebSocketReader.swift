/// Takes the frames of a WebSocket client apart, and puts messages together.
///
/// Refused from the lengths alone, before a byte of payload is kept: messages over the limit (1009).
/// Refused as well: unmasked frames, reserved bits and opcodes, lengths in a longer form than they need,
/// fragments out of order, long or fragmented control frames (1002), and text (1003).
///
/// *Source*: RFC 6455 section 5.
struct WebSocketReader {
  enum Event: Equatable {
    case message([UInt8])
    case ping([UInt8])
    case pong
    /// The code, or `nil` if the frame had none.
    case close(UInt16?)
  }

  /// Why the connection must close.
  struct Violation: Error, Equatable {
    let code: UInt16
    let reason: String
  }

  private enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10
  }

  private let messageBytesMax: Int
  private var header: [UInt8] = []
  private var opcode = Opcode.binary
  private var isFinal = true
  private var mask: [UInt8] = [0, 0, 0, 0]
  private var payloadRead = 0
  private var payloadLength: Int?
  private var message: [UInt8] = []
  private var control: [UInt8] = []
  private var isInMessage = false

  init(messageBytesMax: Int) { self.messageBytesMax = messageBytesMax }

  /// Reads some bytes and hands over what they complete, until `emit` returns false.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ emit: (Event) -> Bool
  ) throws(Violation) {
    var index = 0
    while index < bytes.count || payloadLength == payloadRead {
      guard let length = payloadLength else {
        header.append(bytes[index])
        index += 1
        try beginFrameIfComplete()
        continue
      }
      let count = min(length - payloadRead, bytes.count - index)
      unmask(bytes[index..<index + count])
      index += count
      payloadRead += count
      guard payloadRead == length else { return }
      payloadLength = nil
      header.removeAll(keepingCapacity: true)
      if let event = try endFrame(), !emit(event) { return }
    }
  }

  private mutating func beginFrameIfComplete() throws(Violation) {
    guard header.count >= 2 else { return }
    guard header[0] & 0x70 == 0, let code = Opcode(rawValue: header[0] & 15) else {
      throw Violation(code: 1002, reason: "A reserved bit or opcode came.")
    }
    guard header[1] & 0x80 != 0 else {
      throw Violation(code: 1002, reason: "An unmasked frame came.")
    }
    let short = Int(header[1] & 0x7f)
    let extra = short < 126 ? 0 : short == 126 ? 2 : 8
    guard header.count == 2 + extra + 4 || (header.count == 2 && code.rawValue >= 8) else { return }
    if code.rawValue >= 8, header[0] & 0x80 == 0 || short > 125 {
      throw Violation(code: 1002, reason: "A control frame was long or in pieces.")
    }
    guard header.count == 2 + extra + 4 else { return }
    let length = header[2..<2 + extra].reduce(UInt64(extra == 0 ? short : 0)) {
      $0 << 8 | UInt64($1)
    }
    guard length >= (extra == 0 ? 0 : extra == 2 ? 126 : 65_536) else {
      throw Violation(code: 1002, reason: "A length came in a longer form than it needs.")
    }
    opcode = code
    isFinal = header[0] & 0x80 != 0
    switch code {
    case .text: throw Violation(code: 1003, reason: "The server takes only binary messages.")
    case .binary where isInMessage, .continuation where !isInMessage:
      throw Violation(code: 1002, reason: "Fragments came out of order.")
    case .binary, .continuation:
      guard length <= UInt64(messageBytesMax - message.count) else {
        throw Violation(code: 1009, reason: "A message may have at most \(messageBytesMax) bytes.")
      }
      isInMessage = true
    case .close, .ping, .pong: control.removeAll(keepingCapacity: true)
    }
    mask = Array(header.suffix(4))
    payloadRead = 0
    payloadLength = Int(length)
  }

  private mutating func unmask(_ part: Slice<UnsafeRawBufferPointer>) {
    let start = opcode.rawValue >= 8 ? control.count : message.count
    if opcode.rawValue >= 8 {
      control.append(contentsOf: part)
      Self.unmask(&control, from: start, mask, phase: payloadRead)
    } else {
      message.append(contentsOf: part)
      Self.unmask(&message, from: start, mask, phase: payloadRead)
    }
  }

  private static func unmask(_ bytes: inout [UInt8], from start: Int, _ mask: [UInt8], phase: Int) {
    // Eight at a time: the mask repeats every four.
    let turned = (0..<8).map { mask[($0 + phase) & 3] }
    bytes.withUnsafeMutableBytes { all in
      let key = turned.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
      var index = start
      while index + 8 <= all.count {
        let word = all.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        all.storeBytes(of: word ^ key, toByteOffset: index, as: UInt64.self)
        index += 8
      }
      while index < all.count {
        all[index] ^= turned[(index - start) & 7]
        index += 1
      }
    }
  }

  private mutating func endFrame() throws(Violation) -> Event? {
    switch opcode {
    case .ping: return .ping(control)
    case .pong: return .pong
    case .close:
      if control.isEmpty { return .close(nil) }
      guard control.count >= 2, String(validating: control[2...], as: UTF8.self) != nil else {
        throw Violation(code: 1002, reason: "The close frame is malformed.")
      }
      let code = UInt16(control[0]) << 8 | UInt16(control[1])
      guard Self.isValid(code) else {
        throw Violation(code: 1002, reason: "The close code is not allowed.")
      }
      return .close(code)
    case .text, .binary, .continuation:
      guard isFinal else { return nil }
      isInMessage = false
      let whole = message
      message = []
      return .message(whole)
    }
  }

  private static func isValid(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

/// Frames as a server writes them.
enum WebSocketFrame {
  /// The header of a whole binary message.
  static func header(of count: Int) -> [UInt8] { header(2, count) }

  static func pong(_ payload: [UInt8]) -> [UInt8] { header(10, payload.count) + payload }

  /// A close frame; the reason is cut at 123 bytes, between characters.
  static func close(_ code: UInt16, _ reason: String) -> [UInt8] {
    var text: [UInt8] = []
    for character in reason where text.count + character.utf8.count <= 123 {
      text += character.utf8
    }
    return header(8, 2 + text.count) + [UInt8(code >> 8), UInt8(code & 255)] + text
  }

  private static func header(_ opcode: UInt8, _ count: Int) -> [UInt8] {
    let first = 0x80 | opcode
    switch count {
    case ..<126: return [first, UInt8(count)]
    case ..<65_536: return [first, 126, UInt8(count >> 8), UInt8(count & 255)]
    default:
      return [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
  }
}
