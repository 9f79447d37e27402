public import Reunion
public import ReunionBluetooth
public import ReunionCore
import ReunionStore

/// The members of a space that is shared without a server.
///
/// ```swift
/// for member in try replica.members(of: space) {
///   let isThisOne = member.key == (try replica.deviceKey)
///   print(member.role, isThisOne ? "this device" : "\(member.key)")
/// }
/// ```
///
/// Signed statements say who is a member, and devices hand them on. What a device has not heard of
/// yet does not count for it.
extension Replica {
  /// A member of a space.
  public struct SpaceMember: Hashable, Sendable {
    /// The device's key.
    public let key: DeviceKey
    /// The number under which it writes: the device half of its sites.
    public let device: UInt64
    /// What it may do.
    public let role: MemberRole
  }

  func memberDirectory() throws -> MemberDirectory {
    try attachment { try MemberDirectory(of: store) }
  }

  /// The key by which other devices know this one; made at the first call, and kept beside the
  /// store for its owner alone.
  ///
  /// A copy of the folder has the same one. *Durability*: it is on the disk when this returns.
  /// *Errors*: `damaged` for a file that is no key, which is left as it is.
  public var deviceKey: DeviceKey { get throws { try memberDirectory().key.publicKey } }

  /// The members of a space, as far as this device has heard. A space that is shared by a server
  /// alone, or by nobody, has none.
  ///
  /// - Throws: `StoreError` `damaged` if what is kept of them cannot be understood.
  public func members(of space: SpaceID) throws -> [SpaceMember] {
    let members = try memberDirectory().members(of: space).list?.members ?? []
    return members.map { SpaceMember(key: $0.key, device: $0.device, role: $0.role) }
  }

  /// Lets a peer into a space once it connects. A device that holds nothing about its members
  /// founds the space by this: it has the say from then on.
  ///
  /// It takes effect when the two next connect: until then the peer is not among `members(of:)`.
  /// Called again with another role, it changes the role then. *Durability*: on the disk when this
  /// returns.
  /// - Parameters:
  ///   - peer: The peer, by its key on Bluetooth: `VerifiedPeer.id`.
  ///   - space: The space.
  ///   - role: What it may do. Only the founder may make an admin.
  /// - Throws: `MemberError` if this device is no admin of the space, or makes one and is not its
  ///   founder. `StoreError` where it cannot be read or written. Nothing has changed then.
  public func admit(_ peer: PeerID, to space: SpaceID, as role: MemberRole) throws {
    let directory = try memberDirectory()
    try directory.change(space) { members in
      if members.list == nil {
        members.list = try MemberList(
          of: space, foundedBy: directory.key, device: directory.device(in: space))
      }
      let own = members.list?.member(directory.key.publicKey)
      guard own?.role == .admin, role != .admin || members.list?.founder == directory.key.publicKey
      else {
        throw MemberError.notAllowed
      }
      members.grants[peer] = role
    }
  }

  /// Ends a device's membership: what it brings from now on is refused by all who hear of it.
  ///
  /// What it holds it keeps, and what it brought before stays. *Durability*: on the disk when this
  /// returns; others hear of it when they connect.
  /// - Throws: `MemberError` if this device is no admin of the space, or the key is no member's or
  ///   the founder's. Also if it is an admin's and this device is not the founder. `StoreError`
  ///   where it cannot be read or written. Nothing has changed then.
  public func remove(_ key: DeviceKey, from space: SpaceID) throws {
    let directory = try memberDirectory()
    try directory.change(space) { members in
      guard var list = members.list, let member = list.member(key),
        try list.set(key, device: member.device, to: nil, by: directory.key)
      else { throw MemberError.notAllowed }
      members.list = list
    }
  }

  /// Forgets what this device holds about the members of a space; its records stay. The next peer
  /// that shares the space says anew who they are, and who founded it: it must be one that the
  /// person trusts.
  ///
  /// - Throws: `StoreError` where it cannot be written.
  public func forgetMembers(of space: SpaceID) throws {
    try memberDirectory().change(space) { $0 = SpaceMembers() }
  }
}

/// Why members could not be changed.
///
/// ```swift
/// do {
///   for member in try replica.members(of: space) where member.role == .view {
///     try replica.remove(member.key, from: space)
///   }
/// } catch let error as MemberError {
///   print(error)    // an admin of the space can …
/// }
/// ```
public enum MemberError: Error, Hashable, Sendable, CustomStringConvertible {
  /// This device is not an admin of the space, or not its founder where that is needed.
  case notAllowed

  /// One sentence that names the remedy.
  public var description: String {
    "This device may not change that: an admin of the space can, and of admins its founder alone."
  }
}
