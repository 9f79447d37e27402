import Foundation
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// What is kept on disk, and a disk that fails for a moment.
@Suite struct StoreTests {
  /// How many files of a folder this process has open.
  static func openCount(in folder: String) throws -> Int {
    let descriptors = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { name in
      let path = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "\(descriptors)/\(name)")
      return path?.hasPrefix(folder + "/") == true
    }
  }

  @Test func `thousands of small messages that nobody takes hold a few files open`() throws {
    let folder = PeerTests.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FilePeerStore(folder)
    let peer = try #require(PeerID(bytes: NoiseTests.bytes(1)))
    let before = try Self.openCount(in: folder)
    _ = try store.messages(of: peer)
    let correspondence = try Correspondence(with: peer, store: store)
    var sealed: [SealedMessage] = []
    for number in 1...3000 as ClosedRange<UInt64> {
      let message = try SealedMessage(
        [UInt8(truncatingIfNeeded: number)], number: number, key: someBytes(32, number))
      let head = message.head.bytes
      for lane in Lane.allCases {
        try correspondence.receive(
          ([UInt8(head.count)] + head + message.bytes)[...], on: lane
        ) { $0 }
      }
      sealed.append(message)
    }
    #expect(try Self.openCount(in: folder) <= before + Lane.allCases.count)
    let stored = try store.messages(of: peer)
    for lane in Lane.allCases {
      #expect(stored.arriving[lane]?.map(\.bytes) == sealed.map(\.bytes))
    }
    // The program takes them after all.
    for number in 1...20 as ClosedRange<UInt64> {
      #expect(correspondence.give(on: .blobs)?.text == [UInt8(number)])
      #expect(try correspondence.take(number, on: .blobs))
    }
    #expect(try store.messages(of: peer).arriving[.blobs]?.count == 2980)
    try store.forget(peer)
    #expect(try Self.openCount(in: folder) == before)
  }
}
