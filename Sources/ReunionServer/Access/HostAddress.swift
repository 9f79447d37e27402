import Foundation

/// The name of a host with or without a port, as a Host header or a person writes it: `notes.lan`,
/// `192.168.1.20:8080`, `[::1]:8080`.
///
/// ```swift
/// let host = HostAddress("Notes.LAN").with(defaultPort: 8080)
/// print(host, host.isLoopback, HostAddress("[::1]:80").isLoopback)    // notes.lan:8080 false true
/// ```
///
/// Nothing is looked up: a name is compared as it is written, in lower case.
public struct HostAddress: Sendable, Hashable, CustomStringConvertible {
  /// The name or number, in lower case and without brackets.
  public let name: String
  /// The port, if one is given.
  public let port: UInt16?

  /// Reads an address. Everything that is not a port is part of the name.
  public init(_ text: String) {
    let text = text.lowercased()
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      name = String(text[text.index(after: text.startIndex)..<end])
      port = UInt16(text[text.index(after: end)...].drop { $0 == ":" })
    } else if text.filter({ $0 == ":" }).count == 1, let colon = text.lastIndex(of: ":") {
      name = String(text[..<colon])
      port = UInt16(text[text.index(after: colon)...])
    } else {
      name = text
      port = nil
    }
  }

  private init(name: String, port: UInt16?) {
    self.name = name
    self.port = port
  }

  /// The same name, with this port if it has none.
  public func with(defaultPort: UInt16?) -> HostAddress {
    HostAddress(name: name, port: port ?? defaultPort)
  }

  /// The same name, without that port.
  func without(port: UInt16) -> HostAddress {
    self.port == port ? HostAddress(name: name, port: nil) : self
  }

  /// Whether it reaches only this machine.
  public var isLoopback: Bool {
    name == "localhost" || name == "::1" || (name.hasPrefix("127.") && isNumeric)
  }

  /// Whether it is an IP address.
  var isNumeric: Bool {
    var four = in_addr()
    var six = in6_addr()
    return inet_pton(AF_INET, name, &four) == 1 || inet_pton(AF_INET6, name, &six) == 1
  }

  /// The address as a link shows it.
  public var description: String {
    (name.contains(":") ? "[\(name)]" : name) + (port.map { ":\($0)" } ?? "")
  }
}
