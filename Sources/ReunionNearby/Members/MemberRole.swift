import ReunionStore

/// What a member of a space may do: the same words and the same rules as on a server. Each role may
/// do all that those before it may.
///
/// ```swift
/// let mayChange = MemberRole.allCases.filter { $0 >= .edit }
/// print(mayChange)    // [edit, admin]
/// ```
///
/// Every member's device judges by it what another one brings, and tells it what was refused.
public enum MemberRole: UInt8, Hashable, Sendable, CaseIterable, Comparable {
  /// See everything.
  case view = 1
  /// Add records, and change or delete those that it added.
  case add = 2
  /// Change and delete everything.
  case edit = 3
  /// Admit and remove members.
  case admin = 4

  /// Whether the left one comes first.
  public static func < (left: MemberRole, right: MemberRole) -> Bool {
    left.rawValue < right.rawValue
  }

  /// What a device with this role may change.
  func authority(of device: UInt64) -> Authority {
    switch self {
    case .view: .none
    case .add: .own(device: device)
    case .edit, .admin: .all
    }
  }
}
