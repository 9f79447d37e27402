import Foundation

/// An address of IPv4 (4 bytes) or IPv6 (16 bytes).
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// Reads a number, as it stands in an address of the web, with or without brackets.
  package init?(_ text: String) {
    let plain =
      text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    var (four, six) = (in_addr(), in6_addr())
    // The zone of a link-local address says nothing of where it is.
    let number = String(plain.prefix { $0 != "%" })
    if inet_aton(number, &four) == 1 {
      bytes = withUnsafeBytes(of: &four, Array.init)
    } else if inet_pton(AF_INET6, number, &six) == 1 {
      bytes = withUnsafeBytes(of: &six, Array.init)
    } else {
      return nil
    }
  }

  private init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin_addr, Array.init)
      }
    case AF_INET6:
      bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init)
      }
    default: return nil
    }
  }

  /// The addresses of a name, the one to try first in front. Waits for the network.
  static func all(of host: String) -> [NetworkAddress] {
    if let address = NetworkAddress(host) { return [address] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var (addresses, next) = ([NetworkAddress](), list)
    while let entry = next?.pointee {
      if let found = entry.ai_addr, let address = NetworkAddress(found) {
        addresses.append(address)
      }
      next = entry.ai_next
    }
    return addresses
  }

  /// As it stands in an address of the web.
  package var description: String {
    if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var six = in6_addr()
    withUnsafeMutableBytes(of: &six) { $0.copyBytes(from: bytes) }
    inet_ntop(AF_INET6, &six, &text, socklen_t(text.count))
    return
      "[\(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))]"
  }

  /// Whether it is none of the internet's: this machine, its networks, what is kept for other uses, or a
  /// wrapper around one of those.
  ///
  /// Source: the registries of special-purpose addresses of IANA (RFC 6890).
  package var isInside: Bool { bytes.count == 4 ? isInsideOfFour(bytes) : isInsideOfSix }

  /// Whether it is good on one link alone (RFC 3927, RFC 4291): there, machines that are rented answer with
  /// their own secrets.
  var isLinkLocal: Bool {
    switch bytes.count {
    case 4: bytes[0] == 169 && bytes[1] == 254
    default:
      bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
        || bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 169, 254])
    }
  }

  private func isInsideOfFour(_ bytes: [UInt8]) -> Bool {
    switch (bytes[0], bytes[1], bytes[2]) {
    case (0, _, _), (10, _, _), (127, _, _), (224...255, _, _): true
    case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _):
      true
    case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): true
    default: false
    }
  }

  private var isInsideOfSix: Bool {
    func begins(_ start: UInt8...) -> Bool { bytes.starts(with: start) }
    // An address of IPv4 in one of IPv6: NAT64, 6to4.
    if begins(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0) {
      return isInsideOfFour(Array(bytes[12...]))
    }
    if begins(0x20, 0x02) { return isInsideOfFour(Array(bytes[2..<6])) }
    // Teredo, benchmarks and the like; documents.
    if begins(0x20, 0x01), bytes[2] < 2 || (bytes[2] == 0x0d && bytes[3] == 0xb8) { return true }
    if begins(0x3f, 0xff), bytes[2] < 16 { return true }
    // All others of the internet begin with 001; IPv4 in its old wrapper (::ffff:0:0/96) does not, and
    // no name needs it.
    return bytes[0] >> 5 != 1
  }
}
