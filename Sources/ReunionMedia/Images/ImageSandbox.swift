import CSandbox

/// The walls around the process that decodes pictures: what a picture that takes it over cannot do.
///
/// ```swift
/// if let shortfall = ImageSandbox.ofThisMachine.shortfall { print(shortfall) }
/// print(ImageSandbox.ofThisMachine.contains(.seccomp))
/// ```
///
/// Before its first picture, a worker puts up every wall that this machine has. If it cannot put
/// one up, it ends: it never decodes with fewer walls than promised. ``shortfall`` tells the host
/// which walls the machine lacks.
public struct ImageSandbox: OptionSet, Sendable, Hashable {
  /// A bit for each wall.
  public let rawValue: UInt32

  /// Takes the bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nothing that the worker starts gets more rights than the worker has.
  public static let noNewPrivileges = Self(rawValue: CSANDBOX_NO_NEW_PRIVILEGES)
  /// Few system calls: no open, no socket, no program, no other process.
  public static let seccomp = Self(rawValue: CSANDBOX_SECCOMP)
  /// Landlock closes files a second time, and if the kernel can, TCP and other processes.
  public static let landlock = Self(rawValue: CSANDBOX_LANDLOCK)

  /// Every wall that there is.
  public static let whole: Self = [.noNewPrivileges, .seccomp, .landlock]

  /// The walls that this machine's kernel has, and so its workers too. Asks the kernel three
  /// questions.
  public static var ofThisMachine: Self { Self(rawValue: csandbox_offered()) }

  /// From version 4 on Landlock closes TCP, from 6 on other processes: for tests.
  static var landlockVersion: Int { Int(csandbox_landlock_version()) }

  /// Whether each wall is there, by its name.
  public var walls: [String: Bool] {
    Dictionary(uniqueKeysWithValues: Self.names.map { ($0.name, contains($0.wall)) })
  }

  /// What is missing, as a sentence for the person who runs the server; nil if nothing is.
  public var shortfall: String? {
    guard !isSuperset(of: .whole) else { return nil }
    let missing = Self.names.filter { !contains($0.wall) }.map(\.known).joined(separator: " and ")
    guard contains(.seccomp) else {
      return "This machine lacks \(missing): a picture that takes over the process that decodes it "
        + "can do what this account can. Run the server on Linux with seccomp to close that."
    }
    return
      "This machine lacks \(missing), the second wall around the process that decodes pictures. "
      + "Seccomp, the first, is in place."
  }

  private static let names: [(wall: Self, name: String, known: String)] = [
    (.noNewPrivileges, "noNewPrivileges", "no_new_privs"), (.seccomp, "seccomp", "seccomp"),
    (.landlock, "landlock", "Landlock"),
  ]
}
