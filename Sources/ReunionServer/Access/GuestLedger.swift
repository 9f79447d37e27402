import Foundation
import ReunionFlow
import ReunionStore
import ReunionSync

/// What guests have brought today, by device, kept in a file, so that a restart forgives nothing.
///
/// *Thread*: any. *Durability*: an upload is in the file when `begin` returns. Records are within
/// seconds: what a kill forgets of them is what few seconds can bring.
final class GuestLedger: Sendable {
  /// What a device, or all of them, have brought.
  struct Use: Codable, Equatable {
    var bytes: UInt64 = 0
    var uploads = 0
    var recordBytes = 0
    var records = 0
  }

  private struct Day: Codable {
    var number = 0
    var devices: [UInt64: Use] = [:]
    /// What the guests of each space have brought in records together.
    var pools: [String: Use]? = [:]
    /// Whether the file lacks any of it.
    var isUnwritten = false

    private enum CodingKeys: CodingKey { case number, devices, pools }

    mutating func begin(_ now: Double) {
      let today = Int(now / 86_400)
      if number != today { self = Day(number: today) }
    }
  }

  private let file: URL
  private let allowance: GuestAllowance
  private let now: @Sendable () -> Double
  private let day: Lock<Day>
  /// Bytes of pushes that have not ended and lie on the disk, by device and by pool.
  private let staged = Lock(Staged())

  private struct Staged {
    var devices: [UInt64: Int] = [:]
    var pools: [String: [UInt64: Int]] = [:]
  }

  /// How many guests of a space may have as much staged as one may.
  static let stagedTogether = 4
  private let writing = Lock(())

  /// Reads what the file knows of today; one that is not there, or cannot be read, knows nothing.
  init(
    file path: String, allowance: GuestAllowance,
    now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    file = URL(filePath: path)
    self.allowance = allowance
    self.now = now
    let kept = try? JSONDecoder().decode(Day.self, from: Data(contentsOf: file))
    day = Lock(kept ?? Day())
  }

  /// Counts an upload that begins, or throws a sentence where it goes beyond the allowance.
  func begin(byteCount: UInt64, by device: UInt64) throws {
    let now = now()
    try day.withLock { day throws(UploadError) in
      day.begin(now)
      var use = day.devices[device] ?? Use()
      let (bytes, overflow) = use.bytes.addingReportingOverflow(byteCount)
      let (all, isBeyond) = bytes.addingReportingOverflow(UInt64(use.recordBytes))
      guard !overflow, !isBeyond, all <= allowance.bytesPerDay,
        use.uploads < allowance.uploadsPerDay
      else {
        throw UploadError(
          507,
          "This is all that one guest can add in a day. The rest waits on this phone until tomorrow."
        )
      }
      use.bytes = bytes
      use.uploads += 1
      day.devices[device] = use
      day.isUnwritten = true
    }
    try write()
  }

  /// What a device may still bring in records today, to a space whose guests share a pool.
  func rest(of device: UInt64, in pool: String) -> Weight {
    let now = now()
    return day.withLock { day in
      day.begin(now)
      let own = day.devices[device] ?? Use()
      let all = day.pools?[pool] ?? Use()
      // What comes as records counts as bytes like any: `bytesPerDay` bounds both together.
      let bytesMax = min(
        Int(clamping: allowance.recordBytesPerDay),
        Int(clamping: allowance.bytesPerDay - min(own.bytes, allowance.bytesPerDay)))
      func rest(_ allowed: Int, _ own: Int, _ all: Int) -> Int {
        let (together, overflow) = allowed.multipliedReportingOverflow(by: GuestAllowance.together)
        return max(0, min(allowed - own, (overflow ? .max : together) - all))
      }
      return Weight(
        bytes: rest(bytesMax, own.recordBytes, all.recordBytes),
        records: rest(allowance.recordsPerDay, own.records, all.records))
    }
  }

  /// Counts what a device has brought in records. The file is written within seconds.
  func took(_ weight: Weight, from device: UInt64, in pool: String) {
    guard weight != Weight() else { return }
    let now = now()
    let isFirst = day.withLock { day in
      day.begin(now)
      day.devices[device, default: Use()].recordBytes += weight.bytes
      day.devices[device, default: Use()].records += weight.records
      var all = day.pools?[pool] ?? Use()
      all.recordBytes += weight.bytes
      all.records += weight.records
      day.pools = (day.pools ?? [:]).merging([pool: all]) { $1 }
      defer { day.isUnwritten = true }
      return !day.isUnwritten
    }
    guard isFirst else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + 2) { [self] in
      // Where it cannot be written now, the next one tries again.
      try? write()
    }
  }

  /// Makes room for bytes of a push that has not ended; nil where the device, or the guests of the pool
  /// together, have no more. Otherwise how many of the pool's guests have something staged: they share one
  /// pace.
  ///
  /// A push that goes on without an end lies on the disk and is in no day's count. One device may have twice
  /// of what it may bring in a day, as one push may hold, and a mebibyte at least.
  func stages(_ byteCount: Int, by device: UInt64, in pool: String) -> Int? {
    let ofDay = Int(clamping: min(allowance.recordBytesPerDay, allowance.bytesPerDay))
    let most = max(1 << 20, min(Int(clamping: Session.guestPushBytesMax), ofDay) * 2)
    return staged.withLock { staged in
      let own = staged.devices[device, default: 0] + byteCount
      var all = staged.pools[pool] ?? [:]
      all[device, default: 0] += byteCount
      guard own <= most, all.values.reduce(0, +) <= most * Self.stagedTogether else { return nil }
      (staged.devices[device], staged.pools[pool]) = (own, all)
      return all.count
    }
  }

  /// Gives room back.
  func unstages(_ byteCount: Int, by device: UInt64, in pool: String) {
    func less(_ count: Int?) -> Int? { count.flatMap { $0 > byteCount ? $0 - byteCount : nil } }
    staged.withLock { staged in
      staged.devices[device] = less(staged.devices[device])
      guard var all = staged.pools[pool] else { return }
      all[device] = less(all[device])
      staged.pools[pool] = all.isEmpty ? nil : all
    }
  }

  /// Has the file know all.
  func write() throws {
    try writing.withLock { _ in
      let unwritten = day.withLock { day -> Day? in
        defer { day.isUnwritten = false }
        return day.isUnwritten ? day : nil
      }
      guard let unwritten else { return }
      do {
        try JSONWriter.bytes(unwritten).write(to: file, options: .atomic)
      } catch {
        day.withLock { $0.isUnwritten = true }
        throw error
      }
    }
  }
}
