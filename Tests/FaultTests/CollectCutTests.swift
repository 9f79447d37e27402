import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

/// Power cuts between any two steps of collections and erasures: what a record names stays, what was
/// erased stays erased (guarantee 10).
@Suite(.onOwnThread) struct CollectCutTests {
  /// What a power cut left, and what must be found there.
  private struct Aftermath {
    let disk: SimulatedDisk
    let call: Int
    let named: [BlobHash: [UInt8]]
    let erased: Set<BlobHash>

    func check(_ seed: UInt64, _ bugs: SeededBugs) throws {
      let options = Story.options(disk, seed: seed &+ 1, bugs: bugs)
      let store = try Store.open(folder: Story.folder, model: model, options: options)
      for round in 0..<3 {
        for (hash, bytes) in named {
          guard let held = try? store.blobs.read(hash, count: 1000), held == bytes else {
            throw Loss("seed \(seed), call \(call): a named blob is gone in round \(round)")
          }
        }
        for hash in erased where try store.blobs.contains(hash) {
          throw Loss("seed \(seed), call \(call): an erased blob is back")
        }
        try store.blobs.collect(grace: .zero)
      }
      try store.close()
      let look = try Verification(folder: Story.folder, on: disk)
      guard look.isSound, look.missing.isEmpty else {
        throw Loss("seed \(seed), call \(call): \(look.missing.count) missing")
      }
    }
  }

  private final class Life {
    let seed: UInt64
    let disk: SimulatedDisk
    private let options: StoreOptions
    private var random: SeededRandom
    private var store: Store
    /// What is named whatever becomes of the step that is under way.
    private(set) var named: [BlobHash: [UInt8]] = [:]
    private(set) var erased: Set<BlobHash> = []
    private var records: [RecordID: BlobHash] = [:]

    init(seed: UInt64, bugs: SeededBugs) throws {
      self.seed = seed
      disk = SimulatedDisk(seed: seed)
      options = Story.options(disk, seed: seed, bugs: bugs)
      random = SeededRandom(seed: seed)
      store = try Store.open(folder: Story.folder, model: model, options: options)
    }

    func step() throws {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        // Few different ones, so that what was collected comes again.
        let byte = UInt8.random(in: 0..<6, using: &random)
        let bytes = [UInt8](repeating: byte, count: 100 + Int(byte))
        guard !erased.contains(BlobHash(of: bytes)) else { return }
        let blob = try store.blobs.add(bytes)
        let doc = try store.write(in: space) { try $0.create(Doc.self) { $0.file = blob } }
        records[doc.id] = blob.hash
        named[blob.hash] = bytes
      case 4..<6:
        guard let (id, hash) = records.sorted(by: { $0.key < $1.key }).randomElement(using: &random)
        else { return }
        records[id] = nil
        if !records.values.contains(hash) { named[hash] = nil }
        try store.write(in: space) { try $0.delete(Doc.self, id) }
      case 6:
        guard erased.count < 2, let hash = named.keys.sorted().randomElement(using: &random) else {
          return
        }
        named[hash] = nil
        try store.erase(hash)
        erased.insert(hash)
      case 7:
        try store.close()
        store = try Store.open(folder: Story.folder, model: model, options: options)
      default: try store.blobs.collect(grace: .zero)
      }
    }

    func close() throws { try store.close() }
  }

  /// Lives a life of a seed with power cuts, and returns how many there were.
  private static func run(seed: UInt64, bugs: SeededBugs = []) throws -> Int {
    let life = try Life(seed: seed, bugs: bugs)
    let left = Lock<[Aftermath]>([])
    let luck = SharedRandom(seed: seed &* 31)
    let moment = Moment(life)
    life.disk.observeChanges { call in
      guard luck.draw({ $0.happens(0.05) }) else { return }
      let aftermath = moment.aftermath(call)
      left.withLock { if $0.count < 40 { $0.append(aftermath) } }
    }
    for _ in 0..<60 { try life.step() }
    life.disk.observeChanges(nil)
    try life.close()
    let all = left.withLock { $0 }
    for aftermath in all { try aftermath.check(seed, bugs) }
    return all.count
  }

  /// Lets a closure that has to be sendable look at a life that is lived on its thread.
  private final class Moment: @unchecked Sendable {
    private let life: Life
    init(_ life: Life) { self.life = life }
    func aftermath(_ call: Int) -> Aftermath {
      Aftermath(
        disk: life.disk.afterPowerCut(), call: call, named: life.named, erased: life.erased)
    }
  }

  @Test func `a power cut at any step of a collection loses nothing that is named`() throws {
    var (cuts, seed) = (0, UInt64(1))
    while cuts < (Extent.isFull ? 2_000 : 200) {
      cuts += try Self.run(seed: seed)
      seed += 1
    }
    print("faults: \(cuts) power cuts in lives that collect and erase: 0 lost")
  }

  @Test func `blobs that are not synced are found here too (negative control)`() {
    let caught = (1...10 as ClosedRange<UInt64>).contains { seed in
      do {
        _ = try Self.run(seed: seed, bugs: [.blobNotSynced])
        return false
      } catch {
        return true
      }
    }
    #expect(caught)
  }
}
