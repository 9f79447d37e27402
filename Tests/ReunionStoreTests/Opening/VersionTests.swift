import FoundationEssentials
import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

/// What each released version wrote is read by this one: a store that was killed, a backup of it and an
/// archive, kept for ever in `Tests/Fixtures/Versions`.
///
/// `REUNION_WRITE_VERSION=0.2.0 swift test --filter VersionTests` writes those of this version, once.
@Suite struct VersionTests {
  /// What the writer saw in its store.
  struct Contents: Codable, Equatable {
    var fingerprint: String
    var records: Int
    var blobs: Int
    /// By space: captions of photos that are alive.
    var captions: [String: [String]]
    var conflictCount: Int
    var theme: String
    var launchCount: Int
    /// The notes on errands, of all kinds of collections.
    var errand: [String]
  }

  struct Errand: Entity {
    let id: RecordID
    var title = ""
    var starts: Counter = 0
    var tags: Set<String> = []
    var steps: OrderedList<String> = []
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Errand>(
      6, "errand",
      [
        .field(1, "title", \.title, .searchable), .field(2, "starts", \.starts),
        .field(3, "tags", \.tags), .field(4, "steps", \.steps),
      ])
  }

  static let model = Model(Photo.schema, Heart.schema, Errand.schema)
  static let file = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  static let account = SpaceID(high: 1, low: 0)
  static let theme = SettingKey("theme", default: "light")
  static let launches = SettingKey("launches", default: 0, merge: .counter)
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/Versions")

  static var versions: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: root.path)
    return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }

  static func contents(_ folder: Folder, _ store: Store) throws -> Contents {
    let proof = try Fingerprint(folder: folder.path)
    let settings = try RoamingSettings(store, account: account)
    let errands = try store.fetch(Query<Errand>(in: space))
    return Contents(
      fingerprint: proof.hash.map { String($0, radix: 16) }.joined(separator: " "),
      records: proof.records, blobs: proof.blobs,
      captions: try Dictionary(
        uniqueKeysWithValues: RandomStore.spaces.map { space in
          (
            "\(space)",
            try store.fetch(Query<Photo>(in: space)).map { "\($0.id) \($0.caption)" }.sorted()
          )
        }),
      conflictCount: try RandomStore.spaces.reduce(0) { $0 + (try store.conflicts(in: $1).count) },
      theme: try settings.value(of: theme), launchCount: try settings.value(of: launches),
      errand: errands.map {
        "\($0.title) \($0.starts) \($0.tags.sorted()) \(Array($0.steps))"
      })
  }

  @Test func `this version has written what later ones must read`() throws {
    guard let version = ProcessInfo.processInfo.environment["REUNION_WRITE_VERSION"] else {
      #expect(Self.versions.contains("0.1.0"))
      return
    }
    let target = Self.root.appending(path: version)
    try #require(
      !FileManager.default.fileExists(atPath: target.path),
      "\(version) is written: what it wrote stays as it is.")
    let folder = Folder()
    var random = Seeded(state: 1)
    try RandomStore.make(in: folder, &random).close()
    let store = try folder.open(Self.model)
    let large = try store.blobs.add(Self.file)
    try store.write(in: space, undo: "Photograph the sea") { transaction in
      try transaction.create(Photo.self) {
        $0.caption = "The sea, 70,000 bytes of it"
        $0.original = large
      }
      let errand = try transaction.create(Errand.self) { $0.title = "Buy bread" }
      try transaction.add(3, to: \Errand.starts, of: errand.id)
      try transaction.insert("shop", into: \Errand.tags, of: errand.id)
      try transaction.insert("today", into: \Errand.tags, of: errand.id)
      try transaction.insert("go", into: \Errand.steps, of: errand.id)
      try transaction.insert("come back", into: \Errand.steps, of: errand.id)
    }
    let settings = try RoamingSettings(store, account: Self.account)
    try settings.set(Self.theme, to: "dark")
    try settings.add(2, to: Self.launches)
    // As a kill leaves it: the last commits are in the log.
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: folder.path, toPath: target.appending(path: "store").path)
    _ = try Backup.make(of: folder.path, in: target.appending(path: "backup").path)
    _ = try Archive.export(folder.path, to: target.appending(path: "archive").path)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(Self.contents(folder, store))
      .write(to: target.appending(path: "contents.json"))
    try store.close()
  }

  @Test(arguments: versions)
  func `reads the store, the backup and the archive of each version, and goes on`(
    version: String
  ) throws {
    let fixture = Self.root.appending(path: version)
    let written = try JSONDecoder().decode(
      Contents.self, from: Data(contentsOf: fixture.appending(path: "contents.json")))
    let (killed, restored, imported) = (Folder(), Folder(), Folder())
    try FileManager.default.copyItem(
      atPath: fixture.appending(path: "store").path, toPath: killed.path)
    _ = try Backup.restore(fixture.appending(path: "backup").path, to: restored.path)
    _ = try Archive.import(fixture.appending(path: "archive").path, to: imported.path)
    for folder in [killed, restored, imported] {
      #expect(try Verification(folder: folder.path).isSound)
      let store = try folder.open(Self.model)
      #expect(try Self.contents(folder, store) == written)
      #expect(
        try store.fetch(Query<Errand>(in: space).matching("bread")).count == 1)
      let sea = try #require(
        try store.fetch(Query<Photo>(in: space)).first { $0.caption.hasPrefix("The sea") })
      let bytes = try store.blobs.read(#require(sea.original).hash, count: 100_000)
      #expect(bytes == Self.file)
      try store.write(in: space, undo: "Rename") {
        try $0.set(\Photo.caption, of: sea.id, to: "A year later")
      }
      #expect(try store.fetch(Photo.self, sea.id, in: space)?.caption == "A year later")
      _ = try store.undo(in: space)
      #expect(try Self.contents(folder, store).captions == written.captions)
      try store.close()
    }
  }
}
