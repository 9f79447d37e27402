import Foundation

/// A folder for what is not to stay.
enum Scratch {
  static func folder() -> String {
    FileManager.default.temporaryDirectory.appending(path: "reunion-bluetooth-\(UUID().uuidString)")
      .path
  }

  static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

  /// Bytes as text where they are text, and as digits otherwise.
  static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self), text.allSatisfy({ !$0.isNewline }) {
      return text
    }
    return bytes.map { String(format: "%02x", $0) }.joined()
  }
}
