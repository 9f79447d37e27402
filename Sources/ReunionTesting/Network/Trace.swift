import ReunionFlow
import ReunionSync

/// A running hash of everything that arrived on the links of a world, and when: two runs with the
/// same hash went the same way, message by message.
///
/// It is 64-bit FNV-1a, which tells apart what differs by accident, and not on purpose.
package final class Trace: Sendable {
  private let state = Lock(UInt64(0xcbf2_9ce4_8422_2325))

  /// The hash so far.
  package var hash: UInt64 { state.withLock { $0 } }

  func note(_ event: LinkEvent, at moment: Moment) {
    state.withLock { hash in
      Self.mix(&hash, UInt64(bitPattern: moment.nanoseconds))
      switch event {
      case .opened: Self.mix(&hash, 1)
      case .drained: Self.mix(&hash, 2)
      case .closed: Self.mix(&hash, 3)
      case .received(let bytes):
        Self.mix(&hash, UInt64(bytes.count) + 4)
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      }
    }
  }

  private static func mix(_ hash: inout UInt64, _ word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      hash = (hash ^ (word >> UInt64(shift) & 255)) &* 0x100_0000_01b3
    }
  }
}
