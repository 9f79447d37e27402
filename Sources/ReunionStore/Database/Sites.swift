package import ReunionCore
import ReunionDisk

/// The sites under which a store writes: its own one, and another in a space that knows it otherwise.
///
/// What one space says is that space's affair (`docs/decisions/0093`): it may have the store write there under
/// another number, because somebody else has its own there, or under another incarnation, because it says,
/// without a proof, that the store went back.
package struct Sites: Sendable, Equatable {
  /// That of every space that knows no other.
  package private(set) var own: Site
  private var others: [SpaceID: Site] = [:]

  package init(own: Site) { self.own = own }

  package subscript(space: SpaceID) -> Site {
    get { others[space] ?? own }
    set { others[space] = newValue }
  }

  /// Another incarnation everywhere: the store is a copy of itself, or an older state.
  mutating func renew(_ incarnation: UInt64) {
    own = Site(device: own.device, incarnation: incarnation)
    others = others.mapValues { Site(device: $0.device, incarnation: incarnation) }
  }

  /// The rows of `reunion_meta` that say them, but for the number of the store.
  var rows: [(key: String, value: [UInt8])] {
    [(key: "incarnation", value: Array(own.bytes.suffix(8)))]
      + others.sorted { $0.key < $1.key }
      .map { (key: Self.prefix + $0.key.description, value: $0.value.bytes) }
  }

  private static let prefix = "site "

  /// Reads the others of a store.
  mutating func readOthers(_ connection: DatabaseConnection) throws(StoreError) {
    let statement = try connection.statement(
      "SELECT key, value FROM reunion_meta WHERE key >= 'site ' AND key < 'site!'")
    defer { statement.reset() }
    while try statement.step() {
      guard let space = SpaceID(String(statement.text(0).dropFirst(Self.prefix.count))) else {
        throw statement.damaged("the site of a space")
      }
      others[space] = try statement.identifier(1, Site.self)
    }
  }
}
