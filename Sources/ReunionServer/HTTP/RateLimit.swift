/// How often something may be done from one network, or by one device, in a while.
struct RateLimit: Sendable {
  /// The most in one window.
  let countMax: Int
  /// The length of a window.
  let seconds: Double
  /// The most networks that are remembered; beyond it a new one begins a new window for all.
  static let networksMax = 10_000

  private var begun = 0.0
  private var counts: [String: Int] = [:]

  /// How many networks are remembered.
  var networkCount: Int { counts.count }

  init(_ countMax: Int, in seconds: Double) {
    self.countMax = countMax
    self.seconds = seconds
  }

  /// Counts one from an address; false where there were enough.
  mutating func allows(_ address: String, now: Double) -> Bool {
    if now >= begun + seconds || now < begun || counts.count >= Self.networksMax {
      begun = now
      counts = [:]
    }
    let network = Self.network(of: address)
    guard counts[network, default: 0] < countMax else { return false }
    counts[network, default: 0] += 1
    return true
  }

  /// What counts as one: an IPv4 address, or the /64 of an IPv6 one, which one household has whole.
  static func network(of address: String) -> String {
    guard address.contains(":") else { return address }
    let mapped = "::ffff:"
    if address.lowercased().hasPrefix(mapped), address.contains(".") {
      return String(address.dropFirst(mapped.count))
    }
    let bare = address.prefix { $0 != "%" }
    let halves = bare.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard let gap = halves.firstIndex(of: "") else {
      return halves.prefix(4).joined(separator: ":")
    }
    let front = halves[..<gap].filter { !$0.isEmpty }
    let back = halves[gap...].filter { !$0.isEmpty }
    let zeros = [String](repeating: "0", count: max(0, 8 - front.count - back.count))
    return (front + zeros + back).prefix(4).joined(separator: ":")
  }
}
