/// What may happen in a random history, beside writes and time.
///
/// ```swift
/// let add = WorldAction("add an album") { store, space, _ in
///   _ = try store.write(in: space) { try $0.create(Album.self) }
/// }
/// var simulation = Simulation(models: [Model(Album.schema)], actions: [add])
/// simulation.hazards = [.cuts, .partitions, .kills, .powerCuts]
/// if let failure = simulation.search(seeds: 1...3).failure { print(failure) }
/// ```
///
/// Each history draws some of them, so that one does not hide what another alone would show. Begin
/// with few: a failure is then easier to understand.
public struct Hazards: OptionSet, Hashable, Sendable {
  /// One bit for each hazard.
  public let rawValue: UInt32

  /// Takes bits as they are.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Connections end and come back.
  public static let cuts = Hazards(rawValue: 1 << 0)
  /// Packets are lost, doubled, late, overtaken or damaged.
  public static let badNetworks = Hazards(rawValue: 1 << 1)
  /// One direction is dead, or both.
  public static let partitions = Hazards(rawValue: 1 << 2)
  /// Processes are killed, even in the middle of a call.
  public static let kills = Hazards(rawValue: 1 << 3)
  /// Machines lose power, even in the middle of a call.
  public static let powerCuts = Hazards(rawValue: 1 << 4)
  /// Calls to a disk fail, or the disk is full.
  public static let diskErrors = Hazards(rawValue: 1 << 5)
  /// Clocks are off by up to ten years, and jump.
  public static let clocks = Hazards(rawValue: 1 << 6)
  /// Everything is off for days or years.
  public static let sleep = Hazards(rawValue: 1 << 7)
  /// Some are leaves: caches with an outbox.
  public static let leaves = Hazards(rawValue: 1 << 8)
  /// Some are guests, who may not do everything.
  public static let guests = Hazards(rawValue: 1 << 9)
  /// Roles change, and members are removed.
  public static let roleChanges = Hazards(rawValue: 1 << 10)
  /// Some replicas have older models.
  public static let oldModels = Hazards(rawValue: 1 << 11)
  /// Folders are copied, and both copies go on.
  public static let clones = Hazards(rawValue: 1 << 12)
  /// Members' machines go back to an earlier moment.
  public static let restores = Hazards(rawValue: 1 << 13)
  /// Servers do too.
  public static let serverRestores = Hazards(rawValue: 1 << 14)
  /// Some acknowledge before what they write is synced, and lose power.
  public static let normalDurability = Hazards(rawValue: 1 << 15)

  /// Replicas begin with any of the app's models, and get newer ones at any moment; in the end
  /// all have the newest. It is none of `all`, since many apps have one model.
  public static let upgrades = Hazards(rawValue: 1 << 16)

  /// Somebody who may edit says that others' changes are held, and brings none.
  public static let liars = Hazards(rawValue: 1 << 17)

  /// Restores of every kind, with little beside that would hide what they alone do.
  package static let restoring: Hazards = [.cuts, .partitions, .leaves, .restores, .serverRestores]

  /// All of them but upgrades. docs/guarantees.md says what they may not do together.
  public static let all = Hazards(rawValue: 1 << 16 - 1).union(.liars)
}
