import Foundation
import ReunionFlow

/// How much of something the server does in an hour for each guest's device, such as pixels to decode.
///
/// It is kept in memory: a restart begins a new hour, and no guest can cause one. *Thread*: any.
public final class HourlyAllowance: Sendable {
  /// How much a device has in an hour, in the unit that you charge.
  public let most: Int
  private let ledger = Lock(Ledger())

  private struct Ledger {
    var begun = 0.0
    var used: [UInt64: Int] = [:]
  }

  /// Makes an allowance of which nothing is used yet.
  public init(_ most: Int) { self.most = most }

  /// Counts something that the server is about to do; false if the device has used up its hour.
  public func charge(_ amount: Int, to device: UInt64) -> Bool {
    charge(amount, to: device, now: Date().timeIntervalSince1970)
  }

  func charge(_ amount: Int, to device: UInt64, now: Double) -> Bool {
    ledger.withLock { ledger in
      if now >= ledger.begun + 3_600 || now < ledger.begun { ledger = Ledger(begun: now) }
      let (sum, overflow) = ledger.used[device, default: 0].addingReportingOverflow(max(0, amount))
      guard !overflow, sum <= most else { return false }
      ledger.used[device] = sum
      return true
    }
  }
}
