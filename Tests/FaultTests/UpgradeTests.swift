import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import Testing

/// Stores of before there were checksums, brought to pages with them (guarantee 5).
@Suite struct UpgradeTests {
  /// The byte of a database's header that says how many bytes of a page are reserved.
  private func reserved(_ disk: SimulatedDisk) throws -> UInt8 {
    var byte: [UInt8] = [9]
    let file = try disk.open(Story.folder + "/store.sqlite", .reading)
    _ = try byte.withUnsafeMutableBytes { try file.read(into: $0, at: 20) }
    return byte[0]
  }

  /// A store without checksums, closed or with its log beside it.
  private func old(seed: UInt64) throws -> (story: Story, disk: SimulatedDisk) {
    let story = Story(seed: seed)
    story.options.checksums = false
    for _ in 0..<20 { try story.step() }
    if seed % 2 == 0 { try story.close() } else if story.store == nil { try story.open() }
    return (story, story.disk.copy())
  }

  private func run(seed: UInt64, chance: Double) throws -> Int {
    let (story, disk) = try old(seed: seed)
    guard try reserved(disk) == 0 else { throw Loss("it is no older store") }
    let left = Lock<[Aftermath]>([])
    let luck = SharedRandom(seed: seed)
    disk.observeChanges { [disk] call in
      guard luck.draw({ $0.happens(chance) }) else { return }
      let aftermath = Aftermath(story, call: call, on: disk.afterPowerCut())
      left.withLock { $0.append(aftermath) }
    }
    let store = try Store.open(
      folder: Story.folder, model: model, options: Story.options(disk, seed: seed))
    disk.observeChanges(nil)
    if seed % 2 == 1, story.store?.site != store.site { throw Loss("it became another site") }
    try store.close()
    let all = left.withLock { $0 }
    for aftermath in all {
      try aftermath.check()
      guard try reserved(aftermath.disk) == 8 else { throw Loss("it has no checksums yet") }
    }
    return all.count
  }

  @Test func `an older store gets checksums, whatever power cuts come, and loses nothing`() {
    var cuts = 0
    for seed in Extent.seed.map({ $0...$0 }) ?? 1...(Extent.isFull ? 20 : 4) {
      do {
        cuts += try run(seed: seed, chance: Extent.isFull ? 1 : 0.3)
      } catch {
        Issue.record("seed \(seed): \(error); \(Extent.command(seed, "UpgradeTests"))")
        return
      }
    }
    print("faults: \(cuts) power cuts while older stores got checksums: 0 lost")
  }

  @Test func `errors and a full disk leave the older store as it was, to be upgraded later`() throws
  {
    let (story, whole) = try old(seed: 3)
    let calls = 400
    for number in stride(from: 1, to: calls, by: Extent.isFull ? 1 : 7) {
      let disk = whole.copy()
      if number % 9 == 0 {
        disk.faults.capacityBytes = disk.byteCount + UInt64(number) * 500
      } else {
        disk.faults.failingCalls = number..<number + 1
      }
      do {
        try Store.open(
          folder: Story.folder, model: model, options: Story.options(disk, seed: 1)
        ).close()
      } catch let error as StoreError {
        #expect(error.code != .unexpected, "\(error)")
      }
      disk.faults = DiskFaults()
      try Aftermath(story, call: number, on: disk.afterPowerCut()).check()
    }
  }

  @Test func `a header that denies the checksums of a store is damage, and no older store`() throws
  {
    let story = Story(seed: 1)
    for _ in 0..<10 { try story.step() }
    try story.close()
    // Eight reserved bytes become none.
    #expect(story.disk.flipBit(20 * 8 + 3, of: Story.folder + "/store.sqlite"))
    #expect(throws: StoreError.self) { try story.open() }
  }
}
