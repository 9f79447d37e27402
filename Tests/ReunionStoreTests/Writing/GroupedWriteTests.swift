import Dispatch
import ReunionCore
import ReunionFlow
import Testing
import Waiting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@testable import ReunionStore

@Suite struct GroupedWriteTests {
  let folder = Folder()

  private struct Refusal: Error {}

  @Test func `commits what many tasks write together, and each for itself`() async throws {
    let store = try folder.open()
    let commits = Lock(0)
    let subscription = store.observeCommits { _ in commits.withLock { $0 += 1 } }
    let ids = (0..<60).map { _ in store.newID() }
    // While this write is under way, all others come to wait.
    let (isBegun, isHeld) = (Lock(false), Lock(true))
    let holder = DispatchQueue(label: "holder")
    holder.async {
      try? store.write(in: space) { transaction in
        isBegun.withLock { $0 = true }
        try transaction.create(Photo(id: transaction.newID()))
        while isHeld.withLock({ $0 }) { sched_yield() }
      }
    }
    try await eventually("the first write has begun") { isBegun.withLock { $0 } }
    let results = try await withThrowingTaskGroup(of: Bool.self) { group in
      for (number, id) in ids.enumerated() {
        group.addTask {
          do {
            let width = try await store.groupedWrite(in: space) { transaction in
              var photo = Photo(id: id)
              photo.width = number
              try transaction.create(photo)
              if number % 7 == 3 { throw Refusal() }
              if number % 7 == 5 { try transaction.set(\Photo.width, of: store.newID(), to: 1) }
              return photo.width
            }
            #expect(width == number)
            return true
          } catch is Refusal {
            #expect(number % 7 == 3)
            return false
          } catch {
            #expect(number % 7 == 5)
            #expect((error as? StoreError)?.code == .notFound)
            return false
          }
        }
      }
      try await eventually("all others wait") { store.waitingWrites.counts.added == ids.count }
      isHeld.withLock { $0 = false }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    holder.sync {}
    // The first one came alone at most.
    #expect(store.waitingWrites.counts.groups <= 2)
    let written = results.filter { $0 }.count
    #expect(written == ids.indices.filter { $0 % 7 != 3 && $0 % 7 != 5 }.count)
    #expect(commits.withLock { $0 } == written + 1)
    let found = try store.fetch(Query<Photo>(in: space))
    #expect(found.count == written + 1)
    for (number, id) in ids.enumerated() {
      #expect(
        try (store.fetch(Photo.self, id, in: space) != nil) == (![3, 5].contains(number % 7)))
    }
    // What came after a write that was refused is numbered and logged as ever.
    let push = try store.push(
      in: space, Conversation.Reading(after: 0))
    #expect(Set(push.changes.map(\.record)).count == written + 1)
    #expect(push.raised == (try store.vector(of: space)))
    withExtendedLifetime(subscription) {}
  }

  @Test func `is on the disk when it returns`() async throws {
    var store = try folder.open()
    let id = store.newID()
    try await store.groupedWrite(in: space) { try $0.create(Photo(id: id)) }
    let copy = try folder.copy()
    try store.close()
    store = try copy.open()
    #expect(try store.fetch(Photo.self, id, in: space) != nil)
  }
}
