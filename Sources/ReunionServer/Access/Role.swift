import ReunionStore

/// What a member of a space may do. Each role may do all that those before it may.
///
/// ```swift
/// let roles = Role.allCases.filter { $0 >= .edit }
/// print(roles.map(\.rawValue))    // ["edit", "admin"]
/// ```
///
/// The server decides by it about every change that a device brings; what is refused, the device
/// takes back.
public enum Role: String, Sendable, Comparable, CaseIterable {
  /// See everything.
  case view
  /// Add records, and change or delete those that it added.
  case add
  /// Change and delete everything.
  case edit
  /// Invite and remove members, and have the originals.
  case admin

  /// Whether the left one comes first.
  public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// What a device with this role may change.
  func authority(of device: UInt64) -> Authority {
    switch self {
    case .view: .none
    case .add: .own(device: device)
    case .edit, .admin: .all
    }
  }
}
