import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

@testable import ReunionStore

/// A store without checksums, as another program leaves one, is refused and adopted, whatever power
/// cuts and errors come (guarantee 5).
@Suite(.onOwnThread) struct AdoptionTests {
  /// A store without checksums, closed or with its log beside it.
  private func foreign(seed: UInt64) throws -> (story: Story, disk: SimulatedDisk) {
    let story = Story(seed: seed)
    story.options.checksums = false
    for _ in 0..<20 { try story.step() }
    if seed % 2 == 0 { try story.close() } else if story.store == nil { try story.open() }
    return (story, story.disk.copy())
  }

  /// Adopts what is still foreign, and throws unless all is there then.
  private func check(_ disk: SimulatedDisk, _ story: Story, seed: UInt64) throws {
    let options = Story.options(disk, seed: seed)
    do {
      try Store.open(folder: Story.folder, model: model, options: options).close()
    } catch let error as StoreError {
      guard error.code == .damaged, error.message.contains("reunion adopt") else { throw error }
      _ = try Adoption.adopt(Story.folder, on: disk)
    }
    let store = try Store.open(folder: Story.folder, model: model, options: options)
    guard try Contents(of: store, blobs: story.blobs.keys) == story.acknowledged else {
      throw Loss("seed \(seed): it holds something else")
    }
    guard try Verification(folder: Story.folder, on: disk).isSound else {
      throw Loss("seed \(seed): it is not sound")
    }
    try store.close()
  }

  private func run(seed: UInt64, chance: Double) throws -> Int {
    let (story, disk) = try foreign(seed: seed)
    let left = Lock<[SimulatedDisk]>([])
    let luck = SharedRandom(seed: seed)
    disk.observeChanges { [disk] _ in
      guard luck.draw({ $0.happens(chance) }) else { return }
      let cut = disk.afterPowerCut()
      left.withLock { $0.append(cut) }
    }
    #expect(throws: StoreError.self) {
      _ = try Store.open(
        folder: Story.folder, model: model, options: Story.options(disk, seed: seed))
    }
    let report = try Adoption.adopt(Story.folder, on: disk)
    disk.observeChanges(nil)
    guard try disk.exists(report.kept) else { throw Loss("the earlier file is gone") }
    try check(disk, story, seed: seed)
    let cuts = left.withLock { $0 }
    for cut in cuts { try check(cut, story, seed: seed &+ 1) }
    return cuts.count
  }

  @Test func `a foreign store is adopted whole, whatever power cuts come`() {
    var cuts = 0
    for seed in Extent.seed.map({ $0...$0 }) ?? 1...(Extent.isFull ? 20 : 4) {
      do {
        cuts += try run(seed: seed, chance: Extent.isFull ? 1 : 0.3)
      } catch {
        Issue.record("seed \(seed): \(error); \(Extent.command(seed, "AdoptionTests"))")
        return
      }
    }
    print("faults: \(cuts) power cuts while foreign stores were adopted: 0 lost")
  }

  @Test func `errors and a full disk leave a foreign store to be adopted later`() throws {
    let (story, whole) = try foreign(seed: 3)
    for number in stride(from: 1, to: 400, by: Extent.isFull ? 1 : 9) {
      let disk = whole.copy()
      if number % 2 == 0 {
        disk.faults.capacityBytes = disk.byteCount + UInt64(number) * 500
      } else {
        disk.faults.failingCalls = number..<number + 1
      }
      do {
        _ = try Adoption.adopt(Story.folder, on: disk)
      } catch let error as StoreError {
        #expect(error.code != .unexpected, "\(error)")
      }
      disk.faults = DiskFaults()
      try check(disk.afterPowerCut(), story, seed: UInt64(number))
    }
  }

  @Test func `a header that denies the checksums of a store is refused`() throws {
    let story = Story(seed: 1)
    for _ in 0..<10 { try story.step() }
    try story.close()
    // Eight reserved bytes become none.
    #expect(story.disk.flipBit(20 * 8 + 3, of: Story.folder + "/store.sqlite"))
    let error = #expect(throws: StoreError.self) { try story.open() }
    #expect(error?.code == .damaged)
  }
}
