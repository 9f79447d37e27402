/// What one guest's device may bring in a day (UTC), files as uploads and records by sync.
public struct GuestAllowance: Hashable, Sendable {
  /// Bytes in all: of files, as their uploads declare them, previews included, and of records.
  public var bytesPerDay: UInt64
  /// Uploads; a picture with its preview is two.
  public var uploadsPerDay: Int
  /// Bytes of records, which every device then holds, of those.
  public var recordBytesPerDay: UInt64
  /// New records.
  public var recordsPerDay: Int

  /// How many times as much as one guest all of a space together may bring in records: who joins again and
  /// again under new devices has no more than that.
  static let together = 10

  /// Makes an allowance; by default 20 GB in 10,000 uploads, and 16 MiB in 20,000 records.
  public init(
    bytesPerDay: UInt64 = 20_000_000_000, uploadsPerDay: Int = 10_000,
    recordBytesPerDay: UInt64 = 16 << 20, recordsPerDay: Int = 20_000
  ) {
    self.bytesPerDay = bytesPerDay
    self.uploadsPerDay = uploadsPerDay
    self.recordBytesPerDay = recordBytesPerDay
    self.recordsPerDay = recordsPerDay
  }
}
