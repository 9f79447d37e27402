import Glibc

/// The proxies in front of a server, which are believed about a client's address.
///
/// Anybody can send `X-Forwarded-For`. So it is read only if the peer is a proxy, from its end, which
/// that proxy wrote, up to the first address that is not a proxy.
public struct Proxies: Sendable, Equatable {
  private var networks: [IPNetwork] = []

  /// No proxies: every peer is a client.
  public init() {}

  /// The proxy of this machine.
  static let loopback = Proxies(networks: ["127.0.0.0/8", "::1"].compactMap(IPNetwork.init))

  private init(networks: [IPNetwork]) { self.networks = networks }

  /// Whether there are any.
  var isEmpty: Bool { networks.isEmpty }

  /// Adds a proxy by its address, or all of a network: `10.0.0.2`, `172.18.0.0/16`.
  ///
  /// - Throws: `invalidOption`, with a sentence that names the remedy.
  public mutating func add(
    _ text: String, label: String = "--proxy"
  ) throws(ServerError) {
    guard let network = IPNetwork(text) else {
      throw ServerError(
        .invalidOption,
        "\(label) takes the address of the proxy, such as 10.0.0.2 or 172.18.0.0/16, not \(text)."
      )
    }
    networks.append(network)
  }

  /// The address of the client behind a request.
  func client(of request: HTTPRequest) -> String {
    var client = request.remoteAddress
    guard holds(client) else { return client }
    let named = request.headers.all("X-Forwarded-For").flatMap { $0.split(separator: ",") }
    for entry in named.reversed() {
      let text = String(entry.trimmed)
      guard IPNetwork.bytes(of: text) != nil else { break }
      client = text
      guard holds(text) else { break }
    }
    return client
  }

  /// Whether an address is one of theirs.
  func holds(_ address: String) -> Bool {
    guard let bytes = IPNetwork.bytes(of: address) else { return false }
    return networks.contains { $0.contains(bytes) }
  }
}

/// The addresses that begin alike.
struct IPNetwork: Sendable, Equatable {
  private let base: [UInt8]
  private let bitCount: Int

  /// Reads `10.0.0.2` or `10.0.0.0/8`.
  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let base = Self.bytes(of: String(parts[0])) else { return nil }
    var bitCount = base.count * 8
    if parts.count == 2 {
      guard let given = Int(parts[1]), (0...bitCount).contains(given) else { return nil }
      bitCount = given
    }
    self.base = base
    self.bitCount = bitCount
  }

  func contains(_ address: [UInt8]) -> Bool {
    guard address.count == base.count else { return false }
    return zip(address, base).enumerated().allSatisfy { index, pair in
      let bits = min(max(bitCount - index * 8, 0), 8)
      return (pair.0 ^ pair.1) >> UInt8(8 - bits) == 0
    }
  }

  /// The bytes of a numeric address; four of an IPv4 address, also where it is written as an IPv6 one.
  static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: six) { Array($0) }
    let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
    return bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
  }
}
