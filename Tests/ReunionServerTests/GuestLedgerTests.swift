import Foundation
import Testing

@testable import ReunionServer

/// What one guest may add in a day.
@Suite struct UploadAllowanceTests {
  private typealias Ledger = UploadAllowance.Ledger
  private let noon = 20_000.5 * 86_400

  @Test func `bytes and uploads are counted by device, and again each day`() throws {
    let allowance = UploadAllowance(bytesPerDay: 100, countPerDay: 3)
    var ledger = Ledger()
    try ledger.charge(60, to: 1, now: noon, by: allowance)
    #expect(throws: UploadError.self) { try ledger.charge(41, to: 1, now: noon, by: allowance) }
    #expect(throws: UploadError.self) { try ledger.charge(.max, to: 1, now: noon, by: allowance) }
    try ledger.charge(40, to: 1, now: noon, by: allowance)
    try ledger.charge(0, to: 1, now: noon, by: allowance)
    #expect(throws: UploadError.self) { try ledger.charge(0, to: 1, now: noon, by: allowance) }
    try ledger.charge(100, to: 2, now: noon, by: allowance)
    try ledger.charge(100, to: 1, now: noon + 43_200, by: allowance)
  }

  @Test func `a restart forgives nothing, and what was refused leaves no file`() throws {
    let path = "\(NSTemporaryDirectory())/allowance-\(UUID())"
    defer {
      for each in [path, path + ".today.json"] { try? FileManager.default.removeItem(atPath: each) }
    }
    let allowance = UploadAllowance(bytesPerDay: 100, countPerDay: 10)
    func upload(_ id: String, _ byteCount: UInt64) -> Upload {
      Upload(id: id, hash: id, byteCount: byteCount, use: .original, device: 1, began: noon)
    }
    let folder = try UploadFolder(at: path, now: noon)
    _ = try folder.begin(upload("a", 90), allowance: allowance)
    // The same again is the one that was begun.
    #expect(try folder.begin(upload("a", 90), allowance: allowance).id == "a")
    let later = try UploadFolder(at: path, now: noon)
    let before = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    #expect {
      try later.begin(upload("b", 11), allowance: allowance)
    } throws: {
      ($0 as? UploadError)?.status == 507
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == before)
    // Those who are not limited.
    _ = try later.begin(upload("c", 1_000))
  }
}
