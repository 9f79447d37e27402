import Foundation
import ReunionCore
import ReunionDisk
import Testing

@testable import ReunionStore

/// The sites under which a store writes. What one space says of them holds in that space alone
/// (`decisions/0093`).
@Suite struct SitesTests {
  private let folder = Folder()
  private let one = SpaceID(high: 7, low: 7)
  private let other = SpaceID(high: 9, low: 9)
  private let peer = Site(device: 5, incarnation: 5)

  private func open(_ bugs: SeededBugs = []) throws -> Store {
    try folder.open { $0.seededBugs = bugs }
  }

  @discardableResult
  private func write(_ store: Store, in space: SpaceID) throws -> RecordID {
    try store.write(in: space) { try $0.create(Photo.self) { $0.caption = "here" }.id }
  }

  /// The sites under which what a store holds of a space was written.
  private func writers(_ store: Store, in space: SpaceID) throws -> Set<Site> {
    Set(
      try store.push(in: space, Conversation.Reading(after: 0)).changes.map(\.cell.dot.site))
  }

  @Test(arguments: [SeededBugs(), [.wordCountsEverywhere]])
  func `a peer's word of an earlier state counts in its own space`(bugs: SeededBugs) throws {
    var store = try open(bugs)
    for space in [one, other] { try write(store, in: space) }
    let site = store.site
    try store.mintIncarnation(after: site, keeping: nil, in: one, found: peer, isProven: false)
    let renewed = store.site(in: one)
    #expect(renewed != site && renewed.device == site.device)
    // The control: another space has it compare everything too.
    #expect((store.site(in: other) == site) == bugs.isEmpty)
    #expect((store.site == site) == bugs.isEmpty)
    guard bugs.isEmpty else { return }
    #expect(try store.vector(of: other)[site] > 0 && store.vector(of: one)[site] == 0)
    let gone = try store.record(entity: Retirement.entity, Retirement.id(of: site), in: one)
    #expect(gone != nil)
    #expect(
      try store.record(entity: Retirement.entity, Retirement.id(of: site), in: other) == nil)
    // It stays so, and what comes is written so.
    try store.close()
    store = try open()
    #expect(store.site(in: one) == renewed && store.site(in: other) == site)
    try write(store, in: one)
    #expect(try writers(store, in: one) == [renewed])
    #expect(try writers(store, in: other) == [site])
    // A second word of the same is no news.
    try store.mintIncarnation(after: site, keeping: nil, in: one, found: peer, isProven: false)
    #expect(store.site(in: one) == renewed)
  }

  @Test func `a proof of an earlier state counts in all spaces, and a copy is new in all`() throws {
    var store = try open()
    for space in [one, other] { try write(store, in: space) }
    try store.mintIncarnation(
      after: store.site, keeping: nil, in: one, found: peer, isProven: false)
    let before = [one, other].map { store.site(in: $0) }
    try store.mintIncarnation(after: before[0], keeping: 0, in: one, found: peer)
    let after = [one, other].map { store.site(in: $0) }
    #expect(Set(before).isDisjoint(with: after))
    for space in [one, other] {
      #expect(try writers(store, in: space) == [store.site(in: space)])
    }
    try store.take(77, in: one)
    let last = [one, other].map { store.site(in: $0) }
    try store.close()
    try FileManager.default.removeItem(atPath: folder.path + "/identity")
    store = try open()
    let copied = [one, other].map { store.site(in: $0) }
    #expect(Set(last).isDisjoint(with: copied))
    #expect(copied.map(\.device) == [77, store.device])
  }

  @Test func `a store takes the number that it is given in a space, with what it wrote before`()
    throws
  {
    var store = try open()
    let photo = try write(store, in: one)
    try write(store, in: other)
    let own = store.site
    try store.take(77, in: one)
    let given = store.site(in: one)
    #expect(given.device == 77 && store.device(in: one) == 77 && store.device == own.device)
    #expect(try writers(store, in: one) == [given] && writers(store, in: other) == [own])
    #expect(try store.fetch(Photo.self, photo, in: one)?.caption == "here")
    // Again is nothing, also after the next opening.
    try store.take(77, in: one)
    #expect(store.site(in: one) == given)
    try store.close()
    store = try open()
    #expect(store.site(in: one) == given)
    // In a space of which nothing is held yet, it is known and nothing is made.
    let third = SpaceID(high: 8, low: 8)
    try store.take(78, in: third)
    #expect(try !store.spaces.contains(third))
    try write(store, in: third)
    #expect(try writers(store, in: third).map(\.device) == [78])
    try store.take(0, in: third)
    #expect(store.device(in: third) == 78)
  }

  @Test func `what a peer is proved to hold keeps its numbers where another number is taken`()
    throws
  {
    let store = try open()
    try write(store, in: one)
    let own = store.site
    let seq = try store.vector(of: one)[own]
    try store.commit { (writer, records) throws(StoreError) in
      let space = try writer.space(one, records)
      let number = try records.reader.numbers.number(of: peer)
      try records.setHeld(of: own, by: number, space: space.number, to: seq)
      return ((), nil)
    }
    try write(store, in: one)
    try store.take(77, in: one)
    #expect(try writers(store, in: one) == [own, store.site(in: one)])
    #expect(try store.vector(of: one)[own] == seq)
  }
}
