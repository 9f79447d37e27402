package import ReunionCore
package import ReunionDisk

/// The small numbers that stand for sites and spaces in a database, as one connection knows them.
///
/// *Thread*: that of its connection. What a rolled-back transaction added must be forgotten.
package final class Numbers {
  private let connection: DatabaseConnection
  private var siteNumbers: [Site: Int64] = [:]
  private var sites: [Int64: Site] = [:]
  private var spaceNumbers: [SpaceID: Int64] = [:]

  init(_ connection: DatabaseConnection) { self.connection = connection }

  /// Forgets everything that was read or added.
  func forget() {
    siteNumbers = [:]
    sites = [:]
    spaceNumbers = [:]
  }

  /// Takes the number of a site from elsewhere, where the table of sites is damaged.
  package func learn(_ site: Site, number: Int64) {
    sites[number] = site
    siteNumbers[site] = number
  }

  /// The site of a number.
  func site(_ number: Int64) throws(StoreError) -> Site {
    if let site = sites[number] { return site }
    let statement = try connection.statement("SELECT id FROM reunion_site WHERE number = ?1")
    try statement.bind(1, number)
    guard try statement.step() else { throw statement.damaged("a site's number") }
    defer { statement.reset() }
    let site = try statement.identifier(0, Site.self)
    sites[number] = site
    siteNumbers[site] = number
    return site
  }

  /// The number of a site, which is given one if it has none; only for the writer.
  func number(of site: Site) throws(StoreError) -> Int64 {
    if let number = siteNumbers[site] { return number }
    let existing = try lookUp("SELECT number FROM reunion_site WHERE id = ?1", site)
    let number: Int64
    if let existing {
      number = existing
    } else {
      number = try insert("INSERT INTO reunion_site(id) VALUES(?1) RETURNING number", site)
    }
    siteNumbers[site] = number
    sites[number] = site
    return number
  }

  /// The number of a site; nil if it has none.
  func existingNumber(of site: Site) throws(StoreError) -> Int64? {
    if let number = siteNumbers[site] { return number }
    return try lookUp("SELECT number FROM reunion_site WHERE id = ?1", site)
  }

  /// The number of a space; nil if it has none.
  package func existingNumber(of space: SpaceID) throws(StoreError) -> Int64? {
    if let number = spaceNumbers[space] { return number }
    let number = try lookUp("SELECT number FROM reunion_space WHERE id = ?1", space)
    if let number { spaceNumbers[space] = number }
    return number
  }

  /// The number of a space, which is given one if it has none; only for the writer.
  func number(of space: SpaceID) throws(StoreError) -> Int64 {
    if let number = try existingNumber(of: space) { return number }
    let number = try insert(
      "INSERT INTO reunion_space(id, arrival, stamp) VALUES(?1, 0, 0) RETURNING number", space)
    spaceNumbers[space] = number
    return number
  }

  private func lookUp<I: Identifier>(_ sql: String, _ id: I) throws(StoreError) -> Int64? {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(1, id)
    return try statement.step() ? statement.int(0) : nil
  }

  private func insert<I: Identifier>(_ sql: String, _ id: I) throws(StoreError) -> Int64 {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(1, id)
    guard try statement.step() else { throw statement.damaged("a number") }
    let number = statement.int(0)
    try statement.run()
    return number
  }
}
