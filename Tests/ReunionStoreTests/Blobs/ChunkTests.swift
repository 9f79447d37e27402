import Foundation
import ReunionCore
import Testing

@testable import ReunionStore

/// Blobs that come in chunks, in any order.
@Suite struct ChunkTests {
  private let folder = Folder()
  private let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  private var blob: BlobReference {
    BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
  }

  private func transfer(_ store: Store) throws -> BlobTransfer {
    try #require(store.blobs.receive(blob).transfer)
  }

  private func chunk(_ index: Int) -> [UInt8] {
    let range = BlobChunks(of: blob, have: []).range(of: index)
    return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }

  @Test func `chunks come in any order, and what came stays when the store is opened again`() throws
  {
    var random = Seeded(state: 1)
    for _ in 0..<10 {
      let folder = Folder()
      var store = try folder.open()
      let order = (0..<5).shuffled(using: &random)
      for (count, index) in order.enumerated() {
        let transfer = try transfer(store)
        #expect(isCode(.wrongOffset) { try transfer.complete() })
        try transfer.write(chunk(index), chunk: index)
        try store.close()
        store = try folder.open()
        #expect(try Set(store.blobs.chunks(of: blob).missing) == Set(order[(count + 1)...]))
      }
      // Whole as it is, it is named at once.
      #expect(try store.blobs.receive(blob).transfer == nil)
      #expect(try store.blobs.read(blob.hash, count: bytes.count) == bytes)
      #expect(try store.blobs.chunks(of: blob).missing.isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/partial") == [])
    }
  }

  @Test func `what came in one piece counts, and a transfer in one piece goes on where chunks end`()
    throws
  {
    let store = try folder.open()
    var transfer = try transfer(store)
    try transfer.append(offset: 0, bytes: chunk(0))
    try transfer.append(offset: 65_536, bytes: Array(chunk(1).prefix(100)))
    #expect(try transfer.chunks().missing == [1, 2, 3, 4])
    try transfer.write(chunk(3), chunk: 3)
    transfer.end()
    transfer = try self.transfer(store)
    #expect(try transfer.byteCount() == 65_536)
    #expect(isCode(.wrongOffset) { try transfer.append(offset: 131_072, bytes: chunk(2)) })
    try transfer.append(offset: 65_536, bytes: chunk(1))
    #expect(try transfer.chunks().missing == [2, 4])
    try transfer.append(offset: 131_072, bytes: chunk(2))
    #expect(try transfer.byteCount() == 262_144)
    try transfer.append(offset: 262_144, bytes: chunk(4))
    try transfer.complete(byteCount: blob.byteCount)
    #expect(try store.blobs.read(blob.hash, count: bytes.count) == bytes)
  }

  @Test func `spoiled bytes cost their chunk alone where the chunks' hashes are known`() throws {
    let store = try folder.open()
    var transfer = try transfer(store)
    for index in 0..<5 { try transfer.write(chunk(index), chunk: index) }
    transfer.end()
    // A power cut kept the list and lost the bytes.
    let path = "\(folder.path)/partial/\(blob.hash.description)"
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: 70_000)
    file.write(Data(count: 10))
    try file.close()
    let hashes = (0..<5).map { BlobHash(of: chunk($0)) }
    transfer = try self.transfer(store)
    #expect(try transfer.byteCount() == 0)
    #expect(isCode(.blobMismatch) { try transfer.complete(chunkHashes: hashes) })
    #expect(try transfer.chunks().missing == [1])
    try transfer.write(chunk(1), chunk: 1)
    try transfer.complete(chunkHashes: hashes)
    #expect(try store.blobs.read(blob.hash, count: bytes.count) == bytes)
  }

  @Test func `spoiled bytes cost all of it where they are not, and wrong chunks are refused`()
    throws
  {
    let store = try folder.open()
    let transfer = try transfer(store)
    for index in 0..<5 {
      let spoiled = index == 2 ? [UInt8](repeating: 0, count: 65_536) : chunk(index)
      try transfer.write(spoiled, chunk: index)
    }
    #expect(isCode(.blobMismatch) { try transfer.complete() })
    #expect(try transfer.chunks().missing.count == 5)
    #expect(isCode(.wrongOffset) { try transfer.write([1], chunk: 0) })
    #expect(isCode(.wrongOffset) { try transfer.write(chunk(0), chunk: 5) })
    #expect(isCode(.wrongOffset) { try transfer.write(chunk(0), chunk: -1) })
    let huge = BlobReference(hash: blob.hash, byteCount: .max)
    #expect(isCode(.valueTooLarge) { _ = try store.blobs.receive(huge) })
    // A list that outlived its bytes tells nothing.
    try Data([1, 1, 1, 1, 1]).write(
      to: URL(filePath: "\(folder.path)/partial/\(blob.hash.description).have"))
    #expect(try store.blobs.chunks(of: blob).missing.count == 5)
  }

  @Test func `every chunk that was reported before a kill is there`() throws {
    #if !os(Linux)
      return print("skipped: finds its program by /proc")
    #else
      var random = Seeded(state: 7)
      var reported: Set<Int> = []
      for _ in 0..<6 {
        let delay = Duration.microseconds(Int.random(in: 0..<20_000, using: &random))
        let lines = try CrashTests.runAndKill(folder, "chunks", after: delay)
        reported.formUnion(lines.compactMap { Int($0) })
        let store = try folder.open()
        let blob = BlobReference(hash: BlobHash(of: [9]), byteCount: 64 << 20)
        let chunks = try store.blobs.chunks(of: blob)
        #expect(reported.isSubset(of: (0..<chunks.count).filter(chunks.contains)))
        let file = try FileHandle(
          forReadingFrom: URL(filePath: "\(folder.path)/partial/\(blob.hash.description)"))
        for index in 0..<chunks.count where chunks.contains(index) {
          try file.seek(toOffset: chunks.range(of: index).lowerBound)
          let held = try file.read(upToCount: 65_536)
          let expected = Data(repeating: UInt8(truncatingIfNeeded: index), count: 65_536)
          #expect(held == expected, "chunk \(index)")
        }
        try store.close()
      }
      print("6 kills, \(reported.count) reported chunks, all there")
      #expect(!reported.isEmpty)
    #endif
  }
}
