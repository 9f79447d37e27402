import Foundation

/// Where the hosts of addresses are: on the internet, or inside, on this machine and its networks.
package struct FeedNetwork: Sendable {
  /// The addresses of a name; none where it is not known.
  package var resolve: @Sendable (_ host: String) async -> [NetworkAddress]
  /// Whether an address is none of the internet's.
  package var isInside: @Sendable (NetworkAddress) -> Bool
  /// Whether a proxy makes the connections: it knows names that this machine does not.
  package var hasProxy: Bool

  /// Takes its parts, to try what is none of this machine's.
  package init(
    resolve: @escaping @Sendable (_ host: String) async -> [NetworkAddress],
    isInside: @escaping @Sendable (NetworkAddress) -> Bool, hasProxy: Bool = false
  ) {
    self.resolve = resolve
    self.isInside = isInside
    self.hasProxy = hasProxy
  }

  static let system = FeedNetwork(
    resolve: { host in
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(returning: NetworkAddress.all(of: host))
        }
      }
    }, isInside: \.isInside,
    hasProxy: ["http_proxy", "https_proxy", "all_proxy"].contains { name in
      let environment = ProcessInfo.processInfo.environment
      return [name, name.uppercased()].contains { environment[$0]?.isEmpty == false }
    })

  /// Whether a host is one of the inside by what it is called: whoever names it means that.
  static func isNamedInside(_ host: String) -> Bool {
    let name = host.lowercased()
    if let address = NetworkAddress(name) { return address.isInside }
    let endings = [".localhost", ".local", ".lan", ".internal", ".home.arpa"]
    return !name.contains(".") || endings.contains { name.hasSuffix($0) }
  }
}
