import Foundation
import Reunion
import ReunionFlow
import TestThreads
import Testing

/// Everyday life goes by the replica: reading, writing, undo, conflicts, blobs, settings.
@Suite struct ReplicaTests {
  struct List: Entity {
    let id: RecordID
    var name = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<List>(1, "list", [.field(1, "name", \.name)])
  }

  struct Errand: Entity {
    let id: RecordID
    var title = ""
    var minutes = 0
    var list: Reference<List>?
    var note: Blob?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Errand>(
      2, "errand",
      [
        .field(1, "title", \.title), .field(2, "minutes", \.minutes), .field(3, "list", \.list),
        .field(4, "note", \.note, inlineBelow: 16),
      ])
  }

  static let model = Model(List.schema, Errand.schema)
  let folder = "\(NSTemporaryDirectory())/replica-\(UUID())"
  let space = SpaceID.random()

  private func open(
    _ name: String = "phone", options: StoreOptions = StoreOptions()
  ) throws -> Replica {
    try Replica(folder: "\(folder)/\(name)", model: Self.model, options: options)
  }

  private func fill(_ replica: Replica) throws -> (List, Errand) {
    try replica.write(in: space) { transaction in
      let list = try transaction.create(List.self) { $0.name = "Market" }
      let milk = try transaction.create(Errand.self) {
        $0.title = "Milk"
        $0.minutes = 5
        $0.list = Reference(list)
      }
      try transaction.create(Errand.self) {
        $0.title = "Stamps"
        $0.minutes = 20
      }
      return (list, milk)
    }
  }

  @Test func `reads records, references, pairs, groups, sums and counts`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try open()
    let (list, milk) = try fill(replica)
    let errands = Query<Errand>(in: space)
    #expect(try replica.fetch(Errand.self, milk.id, in: space)?.title == "Milk")
    #expect(try replica.fetch(milk.list, in: space)?.name == "Market")
    #expect(try replica.fetch(errands.joined(\.list)).count { $0.other != nil } == 1)
    #expect(try replica.fetch(errands.grouped(by: \.title).count()).map(\.value) == [1, 1])
    #expect(try replica.fetch(errands.sum(of: \.minutes)) == 25)
    #expect(try replica.fetch(errands.sorted(by: \.title).select(\.title)) == ["Milk", "Stamps"])
    #expect(try replica.count(errands.filter(\.minutes > 10)) == 1)
    #expect(try replica.spaces == [space])
    let seen = try replica.snapshot { snapshot in
      try replica.write(in: space) { try $0.delete(List.self, list.id) }
      return try snapshot.fetch(List.self, list.id, in: space)
    }
    #expect(seen == nil || seen?.name == "Market")
    #expect(try replica.fetch(milk.list, in: space) == nil)
    try replica.close()
  }

  @Test func `what lives follows a write and its undo, by conditions and by a sum`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try open()
    let (_, milk) = try fill(replica)
    let total = try replica.live(Query<Errand>(in: space).sum(of: \.minutes))
    let result = try replica.liveResult(of: Query<Errand>(in: space))
    let status = try replica.undoStatus(in: space)
    try replica.write(in: space, undo: "Hurry") { try $0.set(\Errand.minutes, of: milk.id, to: 1) }
    #expect(total.value == 21 && status.value.undoName == "Hurry")
    #expect(try replica.undo(in: space)?.isComplete == true)
    #expect(total.value == 25 && status.value.redoName == "Hurry")
    try replica.redo(in: space)
    #expect(total.value == 21 && result.value.elements.count == 2)
    #expect(replica.liveFailure.value == nil)
    try replica.close()
  }

  @Test func `keeps what lost a conflict until it is restored`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (phone, laptop) = (try open("phone"), try open("laptop"))
    let (_, milk) = try fill(phone)
    try phone.exchange(space, with: laptop)
    try phone.write(in: space) { try $0.set(\Errand.title, of: milk.id, to: "Oat milk") }
    try laptop.write(in: space) { try $0.set(\Errand.title, of: milk.id, to: "Cream") }
    try phone.exchange(space, with: laptop)
    let live = try phone.liveConflicts(in: space)
    let conflict = try #require(try phone.conflicts(in: space).first)
    let values = try #require(conflict.values(of: \Errand.title))
    #expect(Set([values.lost, values.standing]) == ["Oat milk", "Cream"])
    #expect(try phone.conflicts(of: Errand.self, milk.id, in: space) == live.value)
    try phone.write(in: space) { try $0.restore(conflict) }
    #expect(try phone.fetch(Errand.self, milk.id, in: space)?.title == values.lost)
    #expect(live.value.isEmpty)
    try phone.close()
    try laptop.close()
  }

  @Test func `keeps blobs and settings`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try open()
    let (_, milk) = try fill(replica)
    let bytes = [UInt8](repeating: 7, count: 400)
    let kept = try replica.blobs.add(bytes)
    try replica.write(in: space) { try $0.set(\Errand.note, of: milk.id, to: .file(kept)) }
    let note = try replica.fetch(Errand.self, milk.id, in: space)?.note
    #expect(try replica.read(note) == bytes)
    #expect(try replica.read(nil as Blob?) == nil)
    let settings = try replica.settings(of: .random(), limits: .iCloud)
    try settings.set(SettingKey("volume", default: 1), to: 7)
    #expect(try settings.value(of: SettingKey("volume", default: 1)) == 7)
    try replica.close()
  }

  @Test func `the options that it is given count, and closing tells what comes too late`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try open()
    _ = try fill(replica)
    try replica.close()
    try replica.close()
    let error = #expect(throws: StoreError.self) {
      try replica.write(in: space) { try $0.create(List.self) { _ in } }
    }
    #expect(error?.code == .closed)
    var options = StoreOptions()
    options.isReadOnly = true
    let reader = try open(options: options)
    #expect(try reader.count(Query<Errand>(in: space)) == 2)
    let refused = #expect(throws: StoreError.self) {
      try reader.write(in: space) { try $0.create(List.self) { _ in } }
    }
    #expect(refused?.code == .notWritable)
    try reader.close()
  }

  @Test func `no space is drawn twice, and its digits name it`() {
    let drawn = (0..<1000).map { _ in SpaceID.random() }
    #expect(Set(drawn).count == 1000)
    #expect(drawn.allSatisfy { SpaceID($0.description) == $0 })
  }
}

/// The forms that do not block.
@Suite struct AsyncReplicaTests {
  typealias Errand = ReplicaTests.Errand
  let folder = "\(NSTemporaryDirectory())/async-\(UUID())"
  let space = SpaceID.random()

  private func open() throws -> Replica {
    try Replica(folder: folder, model: ReplicaTests.model)
  }

  @Test func `does by await what the other forms do`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (replica, space) = (try open(), space)
    let milk = try await replica.write(in: space) {
      try $0.create(Errand.self) { $0.title = "Milk" }
    }
    try await replica.write(in: space, undo: "Rename") {
      try $0.set(\Errand.title, of: milk.id, to: "Cream")
    }
    #expect(try await replica.fetch(Errand.self, milk.id, in: space)?.title == "Cream")
    #expect(try await replica.undo(in: space)?.name == "Rename")
    #expect(try await replica.fetch(Query<Errand>(in: space)).map(\.title) == ["Milk"])
    #expect(try await replica.redo(in: space)?.isComplete == true)
    #expect(try await replica.fetch(Query<Errand>(in: space).select(\.title)) == ["Cream"])
    #expect(try await replica.count(Query<Errand>(in: space)) == 1)
    #expect(try await replica.conflicts(in: space).isEmpty)
    #expect(try await replica.snapshot { try $0.fetch(Query<Errand>(in: space)).count } == 1)
    let error = await #expect(throws: StoreError.self) {
      try await replica.write(in: space) { try $0.set(\Errand.title, of: replica.newID(), to: "") }
    }
    #expect(error?.code == .notFound)
    try replica.close()
  }

  @Test func `while a write holds the store, whoever awaits another is free`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (replica, space) = (try open(), space)
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let holder = Thread {
      try? replica.write(in: space) { transaction in
        begun.signal()
        goOn.wait()
        try transaction.create(Errand.self) { $0.title = "first" }
      }
    }
    holder.start()
    await Self.wait(for: begun)
    // More than the tasks' threads, which would all be blocked.
    let writes = (0..<64).map { number in
      Task {
        try await replica.write(in: space) { transaction in
          try transaction.create(Errand.self) { $0.title = "\(number)" }
        }
      }
    }
    // Reads do not wait for writes, and this task has a thread to run on.
    #expect(try await replica.count(Query<Errand>(in: space)) == 0)
    goOn.signal()
    for write in writes { _ = try await write.value }
    #expect(try await replica.count(Query<Errand>(in: space)) == 65)
    try replica.close()
  }

  @Test func `a write that waits is dropped with its task; one that has begun is finished`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (replica, space) = (try open(), space)
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let first = Task {
      try await replica.write(in: space) { transaction in
        begun.signal()
        goOn.wait()
        return try transaction.create(Errand.self) { $0.title = "begun" }
      }
    }
    await Self.wait(for: begun)
    let thread = TaskThread()
    let second = Task(executorPreference: thread) {
      try await replica.write(in: space) { try $0.create(Errand.self) { $0.title = "waits" } }
    }
    let third = Task(executorPreference: thread) {
      try await replica.write(in: space, undo: "Name") {
        try $0.create(Errand.self) { $0.title = "waits too" }
      }
    }
    // Both wait when their thread comes to this: for another thread, or for the one who writes.
    await Task(executorPreference: thread) {}.value
    third.cancel()
    first.cancel()
    second.cancel()
    goOn.signal()
    #expect(try await first.value.title == "begun")
    await #expect(throws: CancellationError.self) { _ = try await second.value }
    await #expect(throws: CancellationError.self) { _ = try await third.value }
    #expect(try await replica.fetch(Query<Errand>(in: space)).map(\.title) == ["begun"])
    try replica.close()
  }

  /// Waits on a thread of its own.
  private static func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      Thread {
        semaphore.wait()
        continuation.resume()
      }.start()
    }
  }
}
