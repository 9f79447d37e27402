import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// Two that receive one blob at the same moment, on threads of their own (guarantee 10).
@Suite(.onOwnThread) struct TransferTurnTests {
  /// Receives a blob; once its bytes were checked, and before they are named, another takes the
  /// transfer over and writes wrong ones.
  static func run(bugs: SeededBugs = []) throws {
    let bytes = TransferCutTests.bytes(TransferCutTests.sizes[4])
    let blob = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    let disk = SimulatedDisk(seed: 3)
    let store = try TransferCutTests.open(disk, bugs)
    guard let transfer = try store.blobs.receive(blob).transfer else { throw Loss("it is held") }
    try transfer.append(offset: 0, bytes: bytes)
    let done = DispatchSemaphore(value: 0)
    let isBegun = Lock(false)
    disk.observeChanges { _ in
      let isFirst = isBegun.withLock { begun in
        defer { begun = true }
        return !begun
      }
      guard isFirst else { return }
      Thread.detachNewThread {
        let stalled = store.blobs.progress(of: blob.hash)
        let other = try? store.blobs.receive(blob, insteadOf: stalled).transfer
        try? other?.append(offset: 0, bytes: [1, 2, 3])
        done.signal()
      }
      // Where nothing keeps it, it is through before the name is given.
      if !bugs.isEmpty { done.wait() }
    }
    do { try transfer.complete(byteCount: blob.byteCount) } catch let error as StoreError {
      throw Loss("\(error)")
    }
    disk.observeChanges(nil)
    if bugs.isEmpty { done.wait() }
    // Looked at anew: what was checked once is not checked again.
    try store.close()
    let again = try TransferCutTests.open(disk, bugs)
    guard try again.blobs.contains(blob.hash), try again.blobs.scrub().isEmpty else {
      throw Loss("a damaged blob was named")
    }
  }

  @Test func `what was checked is what is named, whoever writes at the same moment`() throws {
    for _ in 0..<5 { try Self.run() }
  }

  @Test func `a damaged blob that two of them name is found: the seeded bug`() {
    #expect(throws: Loss.self) { try Self.run(bugs: [.partialSharedBySessions]) }
  }

  @Test func `one of many that take over from each other all the time ends with the whole blob`()
    throws
  {
    let bytes = TransferCutTests.bytes(TransferCutTests.sizes[4])
    let blob = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    let store = try TransferCutTests.open(SimulatedDisk(seed: 4), [])
    let failure = Lock<String?>(nil)
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      // The last one sends other bytes.
      let own = number == 3 ? [UInt8](repeating: 3, count: bytes.count) : bytes
      for _ in 0..<10 {
        do {
          let stalled = store.blobs.progress(of: blob.hash)
          guard let transfer = try store.blobs.receive(blob, insteadOf: stalled).transfer else {
            continue
          }
          var offset = Int(try transfer.byteCount())
          while offset < own.count {
            let end = min(offset + TransferCutTests.pieceBytes, own.count)
            try transfer.append(offset: UInt64(offset), bytes: Array(own[offset..<end]))
            offset = end
          }
          try transfer.complete(byteCount: blob.byteCount)
        } catch let error as StoreError {
          guard error.code != .inUse, error.code != .blobMismatch else { continue }
          failure.withLock { $0 = "\(error)" }
        } catch {
          failure.withLock { $0 = "\(error)" }
        }
      }
    }
    #expect(failure.withLock { $0 } == nil)
    // Whoever is left alone has it whole.
    _ = try TransferCutTests.fetch(bytes, store)
    #expect(try store.blobs.read(blob.hash, count: bytes.count + 1) == bytes)
    #expect(try store.blobs.scrub().isEmpty)
  }
}
