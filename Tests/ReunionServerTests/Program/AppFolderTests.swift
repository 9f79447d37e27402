import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// What apps share: the folder of their data with its space file, and the server that starts and ends with it.
@Suite struct AppFolderTests {
  /// The record with which the space of an app of lists begins.
  struct Lists: Entity {
    let id: RecordID
    var title = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Lists>(1, "lists", [.field(1, "title", \.title)])
  }

  struct Item: Entity {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Item>(2, "item", [.field(1, "text", \.text)])
  }

  /// That of another app, under the same number.
  struct Garden: Entity {
    let id: RecordID
    var size = 0
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Garden>(1, "garden", [.field(1, "size", \.size)])
  }

  struct Note: AppNote {
    var space: String
    var looks: Int?
    init(space: String) { self.space = space }
  }

  private final class Setup {
    let path = "\(NSTemporaryDirectory())/app-\(UUID())"
    var file: String { path + "/lists.json" }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(_ title: String = "Ours") throws -> AppFolder<Lists, Note> {
      try AppFolder(
        path, file: "lists.json", of: "lists", entities: Model(Lists.schema, Item.schema)
      ) { $0.title = title }
    }

    /// The names and sizes of what is in the folder.
    func contents() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: path).sorted().filter {
        // What SQLite makes to read, too.
        !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal")
      }.map {
        "\($0) \(try FileManager.default.attributesOfItem(atPath: path + "/" + $0)[.size] ?? "")"
      }
    }
  }

  private func title(_ folder: AppFolder<Lists, Note>) throws -> String? {
    try folder.store.fetch(
      Lists.self, RecordID(high: folder.space.high, low: folder.space.low), in: folder.space)?.title
  }

  @Test func `begins a space with its root, and finds both again`() throws {
    let setup = Setup()
    let first = try setup.open()
    #expect(try title(first) == "Ours" && first.note?.space == first.space.description)
    var note = try #require(first.note)
    note.looks = 7
    try first.keep(note)
    try first.store.close()
    let second = try setup.open("Another")
    defer { try? second.store.close() }
    #expect(second.space == first.space && second.note?.looks == 7)
    #expect(try title(second) == "Ours")
    #expect(try second.access.invite(.add).isEmpty == false)
  }

  @Test func `a store without the file, or with a broken one, is known by its root`() throws {
    let setup = Setup()
    let first = try setup.open()
    try first.store.close()
    for isBroken in [false, true] {
      if isBroken {
        try Data("{".utf8).write(to: URL(filePath: setup.file))
      } else {
        try FileManager.default.removeItem(atPath: setup.file)
      }
      let again = try setup.open("Another")
      #expect(again.space == first.space && again.note == nil)
      #expect(try title(again) == "Ours")
      try again.store.close()
    }
  }

  @Test func `a salvaged store that lost its root is the app's by its other records`() throws {
    let setup = Setup()
    let store = try Store.open(folder: setup.path, model: Model(Item.schema))
    try store.write(in: .random()) { _ = try $0.create(Item(id: RecordID(high: 1, low: 1))) }
    try store.close()
    let folder = try setup.open()
    defer { try? folder.store.close() }
    #expect(try title(folder) == "Ours")
  }

  @Test func `another app's store, and somebody's files, are refused and left as they are`() throws
  {
    let setup = Setup()
    let store = try Store.open(folder: setup.path, model: Model(Garden.schema))
    let space = SpaceID.random()
    try store.write(in: space) {
      try $0.create(Garden(id: RecordID(high: space.high, low: space.low)))
    }
    try store.close()
    let before = try setup.contents()
    let error = #expect(throws: ServerError.self) { try setup.open() }
    #expect(
      error?.description
        == "\(setup.path) holds something other than lists: choose another folder.")
    #expect(try setup.contents() == before)

    let mine = Setup()
    try FileManager.default.createDirectory(atPath: mine.path, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(filePath: mine.path + "/letter.txt"))
    #expect(throws: StoreError.self) { try mine.open() }
    #expect(try mine.contents() == ["letter.txt 4"])
    let nowhere = #expect(throws: ServerError.self) {
      try AppFolder<Lists, Note>(
        mine.path + "/letter.txt/data", file: "lists.json", of: "lists",
        entities: Model(Lists.schema))
    }
    #expect(nowhere?.code == .badFolder)
  }

  @Test func `a service serves its folder until it is stopped, and closes the store`() throws {
    let setup = Setup()
    let folder = try setup.open()
    var options = ServerOptions(["--port", "0", "--data", setup.path], folder: "")
    #expect(try options.next() == nil)
    let configuration = try options.configuration()
    let service = try AppService(folder, configuration, options)
    try service.start()
    let port = configuration.listener.port
    #expect(service.here.description == "http://localhost:\(port)")
    #expect(
      try ask(port, get("/health").replacing("Host: test", with: "Host: 127.0.0.1")).status == 200)
    #expect(
      service.banner(["  Lists"], risk: "read them").hasSuffix(
        "  Lists\n\nPlain HTTP: anyone on this network can read them. Stop with Ctrl-C.\n"))
    #expect(service.banner([], risk: nil) == "\n\nStop with Ctrl-C.\n")
    service.stop()
    #expect(throws: StoreError.self) { try folder.store.spaces }
  }

  @Test func `a service whose folder was upgraded tells the host what was done, once`() throws {
    let setup = Setup()
    let earlier: AppFolder<Lists, Note> = try AppFolder(
      setup.path, file: "lists.json", of: "lists", entities: Model(Lists.schema))
    try earlier.store.close()
    var options = ServerOptions(["--port", "0", "--data", setup.path], folder: "")
    #expect(try options.next() == nil)
    for isUpgraded in [true, false] {
      let told = Lock<[String]>([])
      var configuration = try options.configuration()
      configuration.notice = { sentence in told.withLock { $0.append(sentence) } }
      let service = try AppService(setup.open(), configuration, options)
      try service.start()
      service.stop()
      let sentence =
        "\(setup.path) was upgraded when it was opened:\n- add the entity item (2)\n"
        + "- add the field item.text (2.1, text)\nNo record and no blob was touched."
      #expect(told.withLock { $0 } == (isUpgraded ? [sentence] : []))
    }
  }

  /// The app's model, in a version for which others may be too old.
  static let third = Model(Lists.schema, Item.schema, version: 3, minimumReader: 2)

  /// Starts a service and ends it; what an app of the first version hears then.
  static func needed(
    in space: SpaceID, at path: String, after start: (ServerOptions) throws -> AppService
  ) throws -> UpdateNeed? {
    var options = ServerOptions(["--port", "0", "--data", path], folder: "")
    #expect(try options.next() == nil)
    try start(options).stop()
    let earlier = try Store.open(folder: path, model: Model(Lists.schema, Item.schema))
    defer { try? earlier.close() }
    return try earlier.updateNeed(in: space).value
  }

  @Test func `a newer server has the space of an older one hear what its readers need`() throws {
    let setup = Setup()
    let first = try setup.open()
    let space = first.space
    try first.store.close()
    let need = try Self.needed(in: space, at: setup.path) { options in
      let folder = try AppFolder<Lists, Note>(
        setup.path, file: "lists.json", of: "lists", entities: Self.third)
      #expect(folder.store.model.version == 3)
      return try AppService(folder, options.configuration(), options)
    }
    #expect(need?.needed == 2 && need?.version == 1)
  }
}

/// The folder of an app's server with spaces of many.
@Suite struct ServedFolderTests {
  @Test func `an app's folder is found again, and no other app's is taken`() throws {
    let path = "\(NSTemporaryDirectory())/served-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lists = Model(AppFolderTests.Lists.schema, AppFolderTests.Item.schema)
    let first = try ServedSpaces(folder: path, entities: lists)
    #expect(first.hasOwn && first.names == ["main"])
    #expect(try first.access.isUnused)
    _ = try first.access.invite(.add)
    #expect(try !first.access.isUnused)
    let space = first.first.id
    try first.store.close()
    let again = try ServedSpaces(folder: path, entities: lists)
    #expect(again.first.id == space)
    try again.store.close()
    // The ready-made server, and an app with another entity under the same number.
    for entities in [Model(), Model(AppFolderTests.Garden.schema)] {
      let error = #expect(throws: ServerError.self) {
        try ServedSpaces(folder: path, entities: entities)
      }
      #expect(error?.code == .badFolder)
    }
    let last = try ServedSpaces(folder: path, entities: lists)
    #expect(last.first.id == space)
    try last.store.close()
  }

  @Test func `a newer server has all spaces of an older one hear what their readers need`() throws {
    let path = "\(NSTemporaryDirectory())/served-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try ServedSpaces(
      folder: path, entities: Model(AppFolderTests.Lists.schema, AppFolderTests.Item.schema))
    let space = first.first.id
    try first.store.close()
    let need = try AppFolderTests.needed(in: space, at: path) { options in
      let spaces = try ServedSpaces(folder: path, entities: AppFolderTests.third)
      return try AppService(spaces, options.configuration(), options)
    }
    #expect(need?.needed == 2 && need?.version == 1)
  }
}
