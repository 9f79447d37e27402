import CSystemBus
import Glibc

/// Writes values into a message of sd-bus, and reads them out of one.
///
/// A message is only touched on the queue of its bus.
enum MessageCoding {
  private static func code(_ letter: Unicode.Scalar) -> CChar {
    CChar(truncatingIfNeeded: letter.value)
  }

  static func append(_ values: [BusValue], to message: OpaquePointer?) throws(BusError) {
    for value in values { try append(value, to: message) }
  }

  private static func check(_ result: Int32) throws(BusError) {
    if result < 0 { throw BusError(code: result) }
  }

  private static func append(_ value: BusValue, to message: OpaquePointer?) throws(BusError) {
    switch value {
    case .bool(let value):
      var number: Int32 = value ? 1 : 0
      try check(sd_bus_message_append_basic(message, code("b"), &number))
    case .byte(var value): try check(sd_bus_message_append_basic(message, code("y"), &value))
    case .int16(var value): try check(sd_bus_message_append_basic(message, code("n"), &value))
    case .uint16(var value): try check(sd_bus_message_append_basic(message, code("q"), &value))
    case .int32(var value): try check(sd_bus_message_append_basic(message, code("i"), &value))
    case .uint32(var value): try check(sd_bus_message_append_basic(message, code("u"), &value))
    case .int64(var value): try check(sd_bus_message_append_basic(message, code("x"), &value))
    case .uint64(var value): try check(sd_bus_message_append_basic(message, code("t"), &value))
    case .double(var value): try check(sd_bus_message_append_basic(message, code("d"), &value))
    case .string(let text): try append(text, "s", to: message)
    case .path(let text): try append(text, "o", to: message)
    case .signature(let text): try append(text, "g", to: message)
    case .bytes(let bytes):
      try check(
        bytes.withUnsafeBytes {
          sd_bus_message_append_array(message, code("y"), $0.baseAddress, $0.count)
        })
    case .descriptor(let descriptor):
      // The message takes a copy of its own.
      var number = descriptor.number
      try check(sd_bus_message_append_basic(message, code("h"), &number))
    case .array(let element, let values):
      try inside("a", element, of: message) { () throws(BusError) in
        try append(values, to: message)
      }
    case .dictionary(let entry, let entries):
      try inside("a", "{" + entry + "}", of: message) { () throws(BusError) in
        // In the same order each time: who reads may go by it, as BlueZ does.
        for (key, value) in entries.sorted(by: { isBefore($0.key, $1.key) }) {
          try inside("e", entry, of: message) { () throws(BusError) in
            try append([key, value], to: message)
          }
        }
      }
    case .structure(let values):
      let signature = values.map(\.typeSignature).joined()
      try inside("r", signature, of: message) { () throws(BusError) in
        try append(values, to: message)
      }
    case .variant(let value):
      try inside("v", value.typeSignature, of: message) { () throws(BusError) in
        try append(value, to: message)
      }
    }
  }

  private static func isBefore(_ left: BusValue, _ right: BusValue) -> Bool {
    if let left = left.asText, let right = right.asText { return left < right }
    return (left.asInt ?? 0) < (right.asInt ?? 0)
  }

  private static func append(
    _ text: String, _ letter: Unicode.Scalar, to message: OpaquePointer?
  ) throws(BusError) {
    guard !text.utf8.contains(0) else {
      throw BusError(BusError.invalidArguments, "A text on the bus has no zero byte.")
    }
    try check(text.withCString { sd_bus_message_append_basic(message, code(letter), $0) })
  }

  private static func inside(
    _ letter: Unicode.Scalar, _ signature: String, of message: OpaquePointer?,
    _ body: () throws(BusError) -> Void
  ) throws(BusError) {
    try check(sd_bus_message_open_container(message, code(letter), signature))
    try body()
    try check(sd_bus_message_close_container(message))
  }

  /// What is left in a message, or in the part of it that was entered.
  static func read(_ message: OpaquePointer?) throws(BusError) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try readOne(message) { values.append(value) }
    return values
  }

  private static func readOne(_ message: OpaquePointer?) throws(BusError) -> BusValue? {
    var letter: CChar = 0
    var contents: UnsafePointer<CChar>?
    let found = sd_bus_message_peek_type(message, &letter, &contents)
    try check(found)
    guard found > 0 else { return nil }
    let scalar = Unicode.Scalar(UInt8(bitPattern: letter))
    switch scalar {
    case "b": return .bool(try basic(Int32(0), letter, message) != 0)
    case "y": return .byte(try basic(0, letter, message))
    case "n": return .int16(try basic(0, letter, message))
    case "q": return .uint16(try basic(0, letter, message))
    case "i": return .int32(try basic(0, letter, message))
    case "u": return .uint32(try basic(0, letter, message))
    case "x": return .int64(try basic(0, letter, message))
    case "t": return .uint64(try basic(0, letter, message))
    case "d": return .double(try basic(0, letter, message))
    case "s", "o", "g":
      let start: UnsafePointer<CChar>? = try basic(nil, letter, message)
      let text = start.map { String(cString: $0) } ?? ""
      return scalar == "s" ? .string(text) : scalar == "o" ? .path(text) : .signature(text)
    case "h":
      // The message closes its own.
      guard let copy = BusDescriptor(copying: try basic(Int32(-1), letter, message)) else {
        throw BusError(code: EMFILE)
      }
      return .descriptor(copy)
    default: break
    }
    let signature = contents.map { String(cString: $0) } ?? ""
    if scalar == "a", signature == "y" {
      var start: UnsafeRawPointer?
      var count = 0
      try check(sd_bus_message_read_array(message, code("y"), &start, &count))
      return .bytes(Array(UnsafeRawBufferPointer(start: start, count: count)))
    }
    try check(sd_bus_message_enter_container(message, letter, contents))
    let values = try read(message)
    try check(sd_bus_message_exit_container(message))
    switch scalar {
    case "v": return values.first.map { .variant($0) }
    case "r", "e": return .structure(values)
    case "a" where signature.hasPrefix("{"):
      var entries: [BusValue: BusValue] = [:]
      for case .structure(let entry) in values where entry.count == 2 {
        entries[entry[0]] = entry[1]
      }
      return .dictionary(String(signature.dropFirst().dropLast()), entries)
    case "a": return .array(signature, values)
    default: throw BusError(code: EBADMSG)
    }
  }

  private static func basic<Value: BitwiseCopyable>(
    _ start: Value, _ letter: CChar, _ message: OpaquePointer?
  ) throws(BusError) -> Value {
    var value = start
    try check(sd_bus_message_read_basic(message, letter, &value))
    return value
  }
}
