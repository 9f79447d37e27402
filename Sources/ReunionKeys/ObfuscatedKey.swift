import CKeys

/// A key that is in the program only beside a pad, as their XOR, and in memory only while it is
/// used.
///
/// It keeps a key from `strings`, from bots that look through programs for keys, and from core dumps
/// taken later. It is no secret: who runs the program under a debugger has the key. <doc:keys> says
/// what to do instead.
///
/// The build plugin `ObfuscateKeys` makes them, with a fresh pad at each build:
///
/// ```swift
/// enum Keys {
///   static let weather = ObfuscatedKey(pad: "9f2c71", masked: "f44914")
/// }
/// let query = Keys.weather.withBytes { key in
///   "appid=" + String(decoding: key, as: UTF8.self)    // this copy is not overwritten
/// }
/// print(query.count, Keys.weather.count)    // 9 3
/// ```
///
/// A value: any thread may use it. A key has 1 to 4,096 bytes.
public struct ObfuscatedKey: Sendable {
  private let pad: StaticString
  private let masked: StaticString

  /// Bytes in the key.
  public var count: Int { masked.utf8CodeUnitCount / 2 }

  /// Takes a pad and the key's XOR with it, as hexadecimal digits in lower case, equally many.
  ///
  /// For generated code: the initializer traps where both are not of one length, or not of digits.
  @inline(never)  // a thousand keys are a thousand calls, and no thousand copies of the checks
  public init(pad: StaticString, masked: StaticString) {
    for text in [pad, masked] {
      precondition(
        text.hasPointerRepresentation && text.utf8CodeUnitCount % 2 == 0
          && text.utf8CodeUnitCount == pad.utf8CodeUnitCount,
        "a pad and masked bytes of one length")
      text.withUTF8Buffer { digits in
        precondition(
          digits.allSatisfy { (48...57).contains($0) || (97...102).contains($0) },
          "hexadecimal digits in lower case")
      }
    }
    self.pad = pad
    self.masked = masked
  }

  /// Calls a closure with the key, and then overwrites the key with zeros, also where it throws.
  ///
  /// The bytes are gone when the call returns. What the closure copies, into a `String` for
  /// instance, nobody overwrites.
  ///
  /// - Parameter body: Uses the key while it runs. It must not keep the buffer.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func withBytes<Value>(
    _ body: (UnsafeRawBufferPointer) throws -> Value
  ) rethrows -> Value {
    // One byte more, so that an empty key has an address as well.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count + 1, alignment: 1)
    defer { buffer.deallocate() }
    return try withBytes(in: buffer, body)
  }

  /// The same in a buffer of the caller's, which holds zeros afterwards.
  func withBytes<Value>(
    in buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Value
  ) rethrows -> Value {
    defer { ckeys_wipe(buffer.baseAddress, buffer.count) }
    ckeys_unmask(
      buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), pad.utf8Start, masked.utf8Start,
      count)
    return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}
