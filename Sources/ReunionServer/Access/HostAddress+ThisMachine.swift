import Foundation

extension HostAddress {
  /// The address under which others reach this machine: its first IPv4 address that is not
  /// loopback, or localhost if it has none.
  public static var thisMachine: HostAddress {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0, let first = list else { return HostAddress("localhost") }
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
      return HostAddress(
        String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return HostAddress("localhost")
  }
}
