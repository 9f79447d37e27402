import Foundation
import ReunionFlow

/// What the server decodes in an hour for what one guest's device has written, beside its uploads: each
/// new edit of a photo decodes the photo anew.
///
/// It is kept in memory: a restart, which is no guest's to make, begins a new hour. *Thread*: any.
public final class RenderAllowance: Sendable {
  /// Pixels of originals in an hour, by default 10,000 megapixels: 800 edits of a phone's photos.
  public let pixelsPerHour: Int
  private let ledger = Lock(Ledger())

  private struct Ledger {
    var begun = 0.0
    var pixels: [UInt64: Int] = [:]
  }

  /// Makes an allowance, of which nothing is used.
  public init(pixelsPerHour: Int = 10_000_000_000) { self.pixelsPerHour = pixelsPerHour }

  /// Counts a picture that is about to be decoded.
  ///
  /// - Throws: `UploadError`, 429 with a sentence, where the device has had its hour's.
  public func charge(_ pixels: Int, to device: UInt64) throws(UploadError) {
    try charge(pixels, to: device, now: Date().timeIntervalSince1970)
  }

  func charge(_ pixels: Int, to device: UInt64, now: Double) throws(UploadError) {
    let isAllowed = ledger.withLock { ledger in
      if now >= ledger.begun + 3_600 || now < ledger.begun { ledger = Ledger(begun: now) }
      let (sum, overflow) = ledger.pixels[device, default: 0].addingReportingOverflow(
        max(0, pixels))
      guard !overflow, sum <= pixelsPerHour else { return false }
      ledger.pixels[device] = sum
      return true
    }
    guard isAllowed else {
      throw UploadError(
        429, "One guest has changed very many photos within an hour. This one is shown after it.")
    }
  }
}
