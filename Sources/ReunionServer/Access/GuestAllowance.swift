/// What one guest's device may upload in a day (UTC), previews included.
public struct UploadAllowance: Sendable {
  /// Bytes, as the uploads declare them.
  public var bytesPerDay: UInt64
  /// Uploads; a photo with its preview is two.
  public var countPerDay: Int

  /// Makes an allowance; by default 20 GB and 10,000 uploads.
  public init(bytesPerDay: UInt64 = 20_000_000_000, countPerDay: Int = 10_000) {
    self.bytesPerDay = bytesPerDay
    self.countPerDay = countPerDay
  }

  /// What was begun on a day, by device: kept in a file, so that a restart forgives nothing.
  struct Ledger: Codable, Equatable {
    struct Use: Codable, Equatable {
      var bytes: UInt64 = 0
      var count = 0
    }

    private(set) var day = 0
    private(set) var devices: [UInt64: Use] = [:]

    /// Counts an upload that begins, or throws a sentence where it goes beyond the allowance.
    mutating func charge(
      _ byteCount: UInt64, to device: UInt64, now: Double, by allowance: UploadAllowance
    ) throws(UploadError) {
      let today = Int(now / 86_400)
      if today != day { self = Ledger(day: today) }
      var use = devices[device] ?? Use()
      let (bytes, overflow) = use.bytes.addingReportingOverflow(byteCount)
      guard !overflow, bytes <= allowance.bytesPerDay, use.count < allowance.countPerDay else {
        throw UploadError(
          507,
          "This is all that one guest can add in a day. The rest waits on this phone until tomorrow."
        )
      }
      use.bytes = bytes
      use.count += 1
      devices[device] = use
    }

    init(day: Int = 0) { self.day = day }
  }
}
