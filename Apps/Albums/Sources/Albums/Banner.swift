import Foundation
import ReunionMedia

/// What the terminal shows when the album is ready.
struct Banner {
  let name: String
  let photoCount: Int
  let guests: String
  let here: String
  let owner: String?
  let wall: String

  /// The text, with the QR code in colour where a person looks at it.
  func text(isTerminal: Bool) throws -> String {
    let code = try QRCode.matrix(of: guests, errorCorrection: .low)
    let photos = photoCount == 1 ? "1 photo" : "\(photoCount) photos"
    var lines = [
      "", "  \(name) · \(photos)", "",
      code.terminal(isTerminal ? .colored : .plainOnLight), "",
      "Guests: \(guests)", "Here: \(here)",
    ]
    if let owner { lines.append("Owner: \(owner)") }
    lines += [
      "Wall: \(wall)", "",
      "Plain HTTP: anyone on this network can listen in. Stop with Ctrl-C.", "",
    ]
    return lines.joined(separator: "\n")
  }
}

/// The addresses under which this machine is reached.
enum LocalAddress {
  /// The first IPv4 address that is not loopback, or localhost.
  static func guess() -> String {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0, let first = list else { return "localhost" }
    defer { freeifaddrs(first) }
    for entry in sequence(first: first, next: { $0.pointee.ifa_next }) {
      guard let address = entry.pointee.ifa_addr, address.pointee.sa_family == AF_INET,
        entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        entry.pointee.ifa_flags & UInt32(IFF_UP) != 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let status = getnameinfo(
        address, socklen_t(MemoryLayout<sockaddr_in>.size), &text, socklen_t(text.count), nil, 0,
        NI_NUMERICHOST)
      guard status == 0 else { continue }
      let end = text.firstIndex(of: 0) ?? text.count
      return String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return "localhost"
  }
}
