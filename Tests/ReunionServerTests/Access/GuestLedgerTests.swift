import Foundation
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// What one guest may bring in a day, as files and as records.
@Suite struct GuestLedgerTests {
  private let file = "\(NSTemporaryDirectory())/ledger-\(UUID()).json"
  private let noon = 20_000.5 * 86_400

  private func ledger(_ allowance: GuestAllowance, at now: Lock<Double>) -> GuestLedger {
    GuestLedger(file: file, allowance: allowance) { now.withLock { $0 } }
  }

  private func removeFile() { try? FileManager.default.removeItem(atPath: file) }

  @Test func `uploads are counted by bytes and by number, by device and day`() throws {
    defer { removeFile() }
    let now = Lock(noon)
    let guests = ledger(GuestAllowance(bytesPerDay: 100, uploadsPerDay: 3), at: now)
    try guests.begin(byteCount: 60, by: 1)
    #expect(throws: UploadError.self) { try guests.begin(byteCount: 41, by: 1) }
    #expect(throws: UploadError.self) { try guests.begin(byteCount: .max, by: 1) }
    try guests.begin(byteCount: 40, by: 1)
    try guests.begin(byteCount: 0, by: 1)
    #expect(throws: UploadError.self) { try guests.begin(byteCount: 0, by: 1) }
    try guests.begin(byteCount: 100, by: 2)
    now.withLock { $0 += 43_200 }
    try guests.begin(byteCount: 100, by: 1)
  }

  @Test func `files and records have one limit, whichever comes first`() throws {
    defer { removeFile() }
    let guests = ledger(GuestAllowance(bytesPerDay: 100, recordBytesPerDay: 80), at: Lock(noon))
    #expect(guests.rest(of: 1, in: "a").bytes == 80)
    try guests.begin(byteCount: 60, by: 1)
    #expect(guests.rest(of: 1, in: "a").bytes == 40)
    guests.took(Weight(bytes: 30, records: 1), from: 1, in: "a")
    #expect(guests.rest(of: 1, in: "a").bytes == 10)
    #expect(throws: UploadError.self) { try guests.begin(byteCount: 11, by: 1) }
    try guests.begin(byteCount: 10, by: 1)
    #expect(guests.rest(of: 1, in: "a").bytes == 0)
  }

  @Test func `pushes that never end have room of their own, one guest's and that of all together`()
  {
    defer { removeFile() }
    let guests = ledger(GuestAllowance(bytesPerDay: 5_000_000), at: Lock(noon))
    #expect(guests.stages(10_000_000, by: 1, in: "a") == 1)
    #expect(guests.stages(1, by: 1, in: "a") == nil)
    for device in 2...4 as ClosedRange<UInt64> {
      #expect(guests.stages(10_000_000, by: device, in: "a") == Int(device))
    }
    #expect(guests.stages(1, by: 5, in: "a") == nil)
    #expect(guests.stages(1, by: 5, in: "b") == 1)
    guests.unstages(10_000_000, by: 2, in: "a")
    #expect(guests.stages(9_999_998, by: 5, in: "a") == 4)
    #expect(guests.stages(2, by: 5, in: "a") == nil)
    #expect(guests.stages(1, by: 2, in: "a") == 5)
  }

  @Test func `records are counted by device, and of all guests together`() throws {
    defer { removeFile() }
    let now = Lock(noon)
    let guests = ledger(GuestAllowance(recordBytesPerDay: 100, recordsPerDay: 10), at: now)
    #expect(guests.rest(of: 1, in: "a") == Weight(bytes: 100, records: 10))
    guests.took(Weight(bytes: 30, records: 4), from: 1, in: "a")
    #expect(guests.rest(of: 1, in: "a") == Weight(bytes: 70, records: 6))
    #expect(guests.rest(of: 2, in: "a") == Weight(bytes: 100, records: 10))
    // Somebody who joins again and again gets what ten guests may bring, and no more.
    for device in 2...11 as ClosedRange<UInt64> {
      guests.took(guests.rest(of: device, in: "a"), from: device, in: "a")
    }
    #expect(guests.rest(of: 12, in: "a") == Weight())
    now.withLock { $0 += 43_200 }
    #expect(guests.rest(of: 12, in: "a") == Weight(bytes: 100, records: 10))
  }

  @Test func `a restart forgives nothing, and what was refused leaves no file`() throws {
    defer { removeFile() }
    let now = Lock(noon)
    let allowance = GuestAllowance(bytesPerDay: 140, uploadsPerDay: 10, recordBytesPerDay: 50)
    let path = "\(NSTemporaryDirectory())/uploads-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    func upload(_ id: String, _ byteCount: UInt64) -> Upload {
      Upload(id: id, hash: id, byteCount: byteCount, use: .original, device: 1, began: noon)
    }
    let first = ledger(allowance, at: now)
    let folder = try UploadFolder(at: path, guests: first, now: noon)
    _ = try folder.begin(upload("a", 90), countedAs: 1)
    // The same again is the one that was begun.
    #expect(try folder.begin(upload("a", 90), countedAs: 1).id == "a")
    first.took(Weight(bytes: 20, records: 1), from: 1, in: "a")
    try first.write()
    let second = ledger(allowance, at: now)
    #expect(second.rest(of: 1, in: "a").bytes == 30)
    let later = try UploadFolder(at: path, guests: second, now: noon)
    let before = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    #expect {
      try later.begin(upload("b", 31), countedAs: 1)
    } throws: {
      ($0 as? UploadError)?.status == 507
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == before)
    // Those who are not limited.
    _ = try later.begin(upload("c", 1_000), countedAs: nil)
  }
}
