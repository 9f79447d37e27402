import Foundation
import ReunionCore
import ReunionStore
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

/// Chains of upgrades over stores with blobs of all sizes: nothing is lost, whichever versions come after
/// one another (guarantees 9 and 10).
@Suite(.onOwnThread) struct UpgradeChainTests {
  static let sizes = [
    0, 1, Blob.inlineBelow - 1, Blob.inlineBelow, Blob.inlineBelow + 1, 1 << 20, 8 << 20,
  ]

  /// What was upgraded.
  private struct Tally {
    var upgrades = 0
    var guarded = 0
    var blobs = 0
    var blobBytes: UInt64 = 0
  }

  /// The blobs of one store, others than those of another: as values, and the bytes of those in files.
  private static func makeBlobs(
    _ store: Store, seed: UInt64
  ) throws -> (values: [Value], files: [BlobReference]) {
    var values: [Value] = []
    var files: [BlobReference] = []
    for (index, size) in sizes.enumerated() {
      var bytes = [UInt8](repeating: UInt8(index), count: size)
      for place in bytes.indices.prefix(8) {
        bytes[place] = UInt8(truncatingIfNeeded: seed >> (8 * UInt64(place)))
      }
      // As a field with a threshold keeps it, and as a file.
      if size < Blob.inlineBelow { values.append(.inlineBlob(bytes)) }
      let blob = try store.blobs.add(bytes)
      files.append(blob)
      values.append(.blob(blob))
    }
    return (values, files)
  }

  /// Goes through a chain of a seed; throws the first thing that was lost.
  private static func run(
    seed: UInt64, bugs: SeededBugs = [], _ tally: inout Tally
  ) throws {
    let root = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    let folder = "\(root)/reunion-chain-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var random = SeededRandom(seed: seed)
    let chain = UpgradeChain(versions: Int.random(in: 1...10, using: &random), &random)
    var options = StoreOptions()
    options.seededBugs = bugs
    options.durability = .normal
    var store = try Store.open(folder: folder, model: chain.models[0], options: options)
    var writer = UpgradeWriter(seed: seed)
    let blobs = try makeBlobs(store, seed: seed)
    try writer.write(40, into: store, naming: blobs.values)
    for (number, model) in chain.models.enumerated().dropFirst() {
      // Some versions were never installed here, and some people go back to one that they had.
      if random.happens(0.2) { continue }
      let isBack = random.happens(0.1)
      try store.close()
      store = try Store.open(
        folder: folder, model: isBack ? chain.models[0] : model, options: options)
      if let report = store.upgradeReport {
        tally.upgrades += 1
        tally.guarded += report.isGuarded ? 1 : 0
        guard !report.isGuarded || report.blobs == blobs.files.count else {
          throw Loss("seed \(seed), version \(number): \(report.blobs) blobs were verified")
        }
      }
      try writer.check(store, "seed \(seed), version \(number)")
      try writer.write(6, into: store, naming: [])
    }
    try writer.check(store, "seed \(seed), in the end")
    try store.close()
    let proof = try Fingerprint(folder: folder)
    let bytes = blobs.files.reduce(UInt64(0)) { $0 + $1.byteCount }
    guard proof.blobs == blobs.files.count, proof.blobBytes == bytes else {
      throw Loss("seed \(seed): \(proof.blobs) blobs are whole of \(blobs.files.count)")
    }
    let look = try Verification(folder: folder)
    guard look.isSound, look.missing.isEmpty, look.strays.isEmpty else {
      throw Loss("seed \(seed): \(look)")
    }
    tally.blobs += proof.blobs
    tally.blobBytes += proof.blobBytes
  }

  @Test func `random chains of upgrades lose no byte of a blob and change no record`() {
    let seeds: ClosedRange<UInt64> =
      Extent.seed.map { $0...$0 } ?? 1...(Extent.isFull ? 1_000 : 20)
    var tally = Tally()
    for seed in seeds {
      do {
        try Self.run(seed: seed, &tally)
      } catch {
        Issue.record("\(error); \(Extent.command(seed, "UpgradeChainTests"))")
        return
      }
    }
    print(
      """
      faults: \(seeds.count) chains of versions, \(tally.upgrades) upgrades, \(tally.guarded) of them \
      guarded: 0 of \(tally.blobs) blobs and 0 of \(tally.blobBytes) bytes lost, 0 hashes changed
      """)
    #expect(tally.guarded > 0 && tally.upgrades > tally.guarded)
  }

  @Test func `the framework's bug is caught by the guard, and without it by the chains`() {
    let controls: [(bugs: SeededBugs, code: StoreError.Code?)] = [
      ([SeededBug.upgradeDropsLargeBlobs], .upgradeRefused),
      ([SeededBug.upgradeDropsLargeBlobs, SeededBug.upgradeNotCompared], nil),
      ([SeededBug.upgradeReachesBlobs], .unexpected),
    ]
    for (bugs, code) in controls {
      var tally = Tally()
      var caught: (any Error)?
      for seed in 1...20 as ClosedRange<UInt64> where caught == nil {
        do { try Self.run(seed: seed, bugs: bugs, &tally) } catch { caught = error }
      }
      #expect(caught is Loss || (caught as? StoreError)?.code == code, "\(bugs)")
      #expect(caught != nil && (caught is Loss) == (code == nil), "\(bugs)")
      print("caught \(bugs): \(caught.map { "\($0)" } ?? "nothing")")
    }
  }
}
