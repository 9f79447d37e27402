/// The short numbers of the sites that one side has named in a session, in the order in which it did.
struct SiteNumbers: Hashable, Sendable {
  private var sites: [Site] = []
  /// Each site's number plus one.
  private var numbers = VersionVector()

  var count: Int { sites.count }

  /// Gives a site the next number; false if it has one already.
  mutating func add(_ site: Site) -> Bool {
    guard numbers[site] == 0 else { return false }
    sites.append(site)
    numbers.raise(site, to: UInt64(sites.count))
    return true
  }

  func number(of site: Site) -> UInt32? {
    let number = numbers[site]
    return number == 0 ? nil : UInt32(number - 1)
  }

  /// The site with a number; nil if no site has it.
  subscript(number: UInt32) -> Site? {
    number < UInt32(sites.count) ? sites[Int(number)] : nil
  }
}
