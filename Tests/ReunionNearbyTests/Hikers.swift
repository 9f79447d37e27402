import Reunion
import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionStore
import ReunionTesting
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

struct Photo: Entity {
  let id: RecordID
  var caption = ""
  var preview: Blob?
  var original: Blob?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Photo>(
    1, "photo",
    [
      .field(1, "caption", \.caption), .field(2, "preview", \.preview),
      .field(3, "original", \.original),
    ])
}

/// Two people without a network: each has a replica on a simulated disk and a radio in one medium,
/// on virtual time and from one seed. Their processes can be killed, and start again from what is
/// on the disk.
final class Hikers: @unchecked Sendable {
  /// One of the two.
  final class Hiker: @unchecked Sendable, Hashable {
    static func == (one: Hiker, other: Hiker) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    let name: String
    let radio: SimulatedRadio
    let peerStore = MemoryPeerStore()
    var disk: SimulatedDisk
    var replica: Replica?
    var bluetooth: Bluetooth?
    var sync: PeerSync?
    var peer: VerifiedPeer?
    var link: KeptLink?
    var subscriptions: [SignalSubscription] = []
    /// What happened with it, as the app's program sees it.
    var refused: [RefusedChange] = []

    init(_ name: String, _ radio: SimulatedRadio, _ disk: SimulatedDisk) {
      self.name = name
      self.radio = radio
      self.disk = disk
    }
  }

  let clock = TestClock()
  let medium: SimulatedMedium
  let anna: Hiker
  let ben: Hiker
  let invitation: Invitation
  let space = SpaceID(high: 7, low: 9)
  private let seed: UInt64
  private var launchCount: UInt64 = 0
  private let random: SharedRandom
  let storeBugs: SeededBugs
  let bugs: SeededBugs

  init(
    seed: UInt64 = 1, quality: RadioQuality = RadioQuality(),
    storeBugs: SeededBugs = [], bugs: SeededBugs = []
  ) {
    self.seed = seed
    self.bugs = bugs
    self.storeBugs = storeBugs
    random = SharedRandom(seed: seed)
    medium = SimulatedMedium(clock: clock, seed: seed, quality: quality)
    anna = Hiker("anna", medium.radio("anna"), SimulatedDisk(seed: seed &* 2))
    ben = Hiker("ben", medium.radio("ben"), SimulatedDisk(seed: seed &* 2 + 1))
    var chance = MediumRandom(seed: seed ^ 0xABCD)
    invitation = Invitation(using: &chance)
  }

  /// How a store of this world is opened.
  func options(on disk: SimulatedDisk) -> StoreOptions {
    var options = StoreOptions()
    options.disk = disk
    let (clock, random) = (clock, random)
    options.wallMilliseconds = { clock.wallMilliseconds }
    options.random = { random.draw { $0.next() } }
    options.seededBugs = storeBugs
    return options
  }

  func options(on seed: UInt64) -> StoreOptions { options(on: SimulatedDisk(seed: seed)) }

  /// Has both hold a list that a third has written.
  func refound(byOther roles: [Hiker: MemberRole]) throws {
    let pair = try #require(DeviceKeyPair(seed: someBytes(32, 5)))
    var list = try MemberList(of: space, foundedBy: pair, device: 5)
    for (hiker, role) in roles {
      let replica = try #require(hiker.replica)
      _ = try list.set(
        replica.deviceKey, device: replica.store.site.device, to: role, by: pair)
    }
    for hiker in roles.keys {
      try hiker.replica?.memberDirectory().change(space) { $0 = SpaceMembers(list: list) }
    }
  }

  /// Starts a process.
  func launch(_ hiker: Hiker) throws {
    launchCount += 1
    let replica = try Replica(
      folder: "/app/store", model: Model(Photo.schema), options: options(on: hiker.disk),
      clock: clock)
    hiker.replica = replica
    let bluetooth = try Bluetooth(
      radio: hiker.radio, store: hiker.peerStore, clock: clock,
      random: MediumRandom(seed: seed &* 1000 &+ launchCount))
    hiker.bluetooth = bluetooth
    hiker.subscriptions = [
      bluetooth.verified.observe { [weak self, unowned hiker] peer in
        hiker.peer = peer
        if hiker.sync == nil { self?.begin(hiker) }
      },
      replica.refusedChanges.observe { [unowned hiker] in hiker.refused.append($0) },
    ]
    if hiker === ben {
      bluetooth.open(invitation)
      bluetooth.advertise()
    }
    if let known = hiker.peerStore.peers().first {
      hiker.peer = bluetooth.peer(known.id)
      begin(hiker)
    }
  }

  /// The app's one call.
  func begin(_ hiker: Hiker) {
    guard let replica = hiker.replica, let peer = hiker.peer else { return }
    hiker.sync = try? replica.sync(space, over: peer, seededBugs: bugs)
  }

  /// Both start, and Anna connects to Ben by his invitation; he lets her in.
  func meet(as role: MemberRole? = .edit) throws {
    try launch(ben)
    try launch(anna)
    let annas = try #require(anna.bluetooth?.id)
    if let role { try ben.replica?.admit(annas, to: space, as: role) }
    let scan = anna.bluetooth?.scan(for: [ReunionService.id], limit: .seconds(2)) { _ in }
    clock.advance(by: .seconds(2))
    scan?.cancel()
    anna.link = anna.bluetooth?.meet(ben.radio.device, by: invitation)
  }

  /// The process of one is killed.
  func kill(_ hiker: Hiker) {
    let left = hiker.disk.copy()
    hiker.subscriptions = []
    hiker.radio.killProcess()
    hiker.sync = nil
    hiker.peer = nil
    hiker.link = nil
    hiker.bluetooth = nil
    hiker.replica = nil
    hiker.disk = left
  }

  /// Moves time on until something holds, looking every `step`; false if it does not in time.
  func settle(
    within limit: Duration, every step: Duration = .milliseconds(50), _ isDone: () -> Bool
  ) -> Bool {
    let end = clock.now.advanced(by: limit)
    while !isDone() {
      guard clock.now < end else { return false }
      clock.advance(by: step)
    }
    return true
  }

  /// What both hold, as one fingerprint each.
  func digests() throws -> [[UInt8]] {
    try [anna, ben].map { try $0.replica?.store.digest(of: space) ?? [] }
  }

  var isEqual: Bool {
    guard let digests = try? digests() else { return false }
    return digests[0] == digests[1]
  }

  /// How many blobs one lacks.
  func missing(_ hiker: Hiker) -> Int {
    guard let replica = hiker.replica else { return 0 }
    return (try? replica.store.blobs.missing(in: space).count) ?? 0
  }

  /// The captions that one has.
  func captions(_ hiker: Hiker) -> [String] {
    guard let replica = hiker.replica else { return [] }
    let photos: [Photo] = (try? replica.fetch(Query<Photo>(in: space))) ?? []
    return photos.map(\.caption).sorted()
  }

  /// Writes one record.
  @discardableResult
  func add(_ caption: String, by hiker: Hiker) throws -> RecordID? {
    guard let replica = hiker.replica else { return nil }
    return try replica.write(in: space) { transaction in
      let photo = try transaction.create(Photo.self) { $0.caption = caption }
      return photo.id
    }
  }

  /// Adds photos with captions, the first with a preview.
  func addPhotos(_ count: Int, by hiker: Hiker, previewBytes: Int = 20_000) throws {
    guard let replica = hiker.replica else { return }
    let preview = Blob(someBytes(previewBytes, UInt64(count)))
    try replica.write(in: space) { transaction in
      for number in 0..<count {
        try transaction.create(Photo.self) {
          $0.caption = "\(hiker.name) \(number): the path above the lake, towards the hut"
          if number == 0 { $0.preview = preview }
        }
      }
    }
  }
}

/// Bytes that differ from seed to seed.
func someBytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
  var random = MediumRandom(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) }
}
