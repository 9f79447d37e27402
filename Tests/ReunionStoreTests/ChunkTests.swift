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
        #expect(isCode(.wrongOffset) { try store.blobs.complete(blob) })
        try store.blobs.write(chunk(index), chunk: index, of: blob)
        try store.close()
        store = try folder.open()
        #expect(try Set(store.blobs.chunks(of: blob).missing) == Set(order[(count + 1)...]))
      }
      try store.blobs.complete(blob)
      #expect(try store.blobs.read(blob.hash, count: bytes.count) == bytes)
      #expect(try store.blobs.chunks(of: blob).missing.isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/partial") == [])
    }
  }

  @Test func `what came in one piece counts, and a transfer in one piece goes on where chunks end`()
    throws
  {
    let store = try folder.open()
    try store.blobs.append(to: blob.hash, offset: 0, bytes: chunk(0))
    try store.blobs.append(to: blob.hash, offset: 65_536, bytes: Array(chunk(1).prefix(100)))
    #expect(try store.blobs.chunks(of: blob).missing == [1, 2, 3, 4])
    try store.blobs.write(chunk(3), chunk: 3, of: blob)
    #expect(try store.blobs.partialByteCount(of: blob.hash) == 65_536)
    #expect(
      isCode(.wrongOffset) {
        try store.blobs.append(to: blob.hash, offset: 131_072, bytes: chunk(2))
      })
    try store.blobs.append(to: blob.hash, offset: 65_536, bytes: chunk(1))
    #expect(try store.blobs.chunks(of: blob).missing == [2, 4])
    try store.blobs.append(to: blob.hash, offset: 131_072, bytes: chunk(2))
    #expect(try store.blobs.partialByteCount(of: blob.hash) == 262_144)
    try store.blobs.append(to: blob.hash, offset: 262_144, bytes: chunk(4))
    try store.blobs.complete(blob.hash, byteCount: blob.byteCount)
    #expect(try store.blobs.read(blob.hash, count: bytes.count) == bytes)
  }

  @Test func `spoiled bytes cost their chunk alone where the chunks' hashes are known`() throws {
    let store = try folder.open()
    for index in 0..<5 { try store.blobs.write(chunk(index), chunk: index, of: blob) }
    // A power cut kept the list and lost the bytes.
    let path = "\(folder.path)/partial/\(blob.hash.description)"
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: 70_000)
    file.write(Data(count: 10))
    try file.close()
    let hashes = (0..<5).map { BlobHash(of: chunk($0)) }
    #expect(isCode(.blobMismatch) { try store.blobs.complete(blob, chunkHashes: hashes) })
    #expect(try store.blobs.chunks(of: blob).missing == [1])
    try store.blobs.write(chunk(1), chunk: 1, of: blob)
    try store.blobs.complete(blob, chunkHashes: hashes)
    #expect(try store.blobs.read(blob.hash, count: bytes.count) == bytes)
  }

  @Test func `spoiled bytes cost all of it where they are not, and wrong chunks are refused`()
    throws
  {
    let store = try folder.open()
    for index in 0..<5 {
      let spoiled = index == 2 ? [UInt8](repeating: 0, count: 65_536) : chunk(index)
      try store.blobs.write(spoiled, chunk: index, of: blob)
    }
    #expect(isCode(.blobMismatch) { try store.blobs.complete(blob) })
    #expect(try store.blobs.chunks(of: blob).missing.count == 5)
    #expect(isCode(.wrongOffset) { try store.blobs.write([1], chunk: 0, of: blob) })
    #expect(isCode(.wrongOffset) { try store.blobs.write(chunk(0), chunk: 5, of: blob) })
    #expect(isCode(.wrongOffset) { try store.blobs.write(chunk(0), chunk: -1, of: blob) })
    let huge = BlobReference(hash: blob.hash, byteCount: .max)
    #expect(isCode(.valueTooLarge) { try store.blobs.write(chunk(0), chunk: 1 << 40, of: huge) })
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
        let wait = UInt32.random(in: 0..<20_000, using: &random)
        let lines = try CrashTests.runAndKill(folder, "chunks", microseconds: wait)
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
