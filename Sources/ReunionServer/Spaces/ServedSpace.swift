import ReunionCore

/// A space that a server serves, and who may enter it.
struct ServedSpace: Sendable {
  let id: SpaceID
  let access: Access
  /// Its name, for people who join.
  let name: @Sendable () -> String
  /// The person whose own it is: its members are that person's devices, and nobody invites others.
  var owner: RecordID?

  /// Whether it is a person's own.
  var isOwn: Bool { owner != nil }

  /// As whom what a device brings is counted: a person's devices together in all of their own spaces, any
  /// other by its number and the space, for in another space somebody else may have that number.
  func guest(_ device: Access.Device) -> UInt64 {
    if let owner { return Persons.guest(of: owner) }
    let number = Site(device: device.number, incarnation: 0).bytes.prefix(8)
    let hash = SHA256.hash(Array("reunion guest".utf8) + id.bytes + number)
    return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Which guests have an allowance of records together: those of a space, or the persons of whose own spaces
  /// the devices come from one network. Somebody who comes as many persons from there uses up only
  /// that network's allowance.
  func pool(from address: String) -> String {
    isOwn ? "own " + RateLimit.network(of: address) : id.description
  }
}
