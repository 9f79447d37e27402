import Foundation

/// The media type of a picture by its first bytes; what it is called does not count.
enum MediaType {
  static func of(file path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let head = try? file.read(upToCount: 16) else { return nil }
    return of(head: Array(head))
  }

  static func of(head: [UInt8]) -> String? {
    func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
      head.count >= offset + bytes.count && Array(head[offset..<offset + bytes.count]) == bytes
    }
    func has(_ text: String, at offset: Int = 0) -> Bool { has(Array(text.utf8), at: offset) }
    if has([0xff, 0xd8, 0xff]) { return "image/jpeg" }
    if has([0x89, 0x50, 0x4e, 0x47]) { return "image/png" }
    if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
    if has("GIF8") { return "image/gif" }
    if has("ftypavif", at: 4) { return "image/avif" }
    if has("ftyphe", at: 4) || has("ftypmif1", at: 4) { return "image/heic" }
    return nil
  }
}
