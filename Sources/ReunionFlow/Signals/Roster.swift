/// The place of an observer or a dependent in a roster; the owner of the turns alone moves it.
class Seat: @unchecked Sendable {
  @exclusivity(unchecked) fileprivate final var position = -1
}

/// Seats in the order in which they came; insert and remove are amortised O(1).
///
/// It holds its seats, and visits them without counting references: whoever visits must not remove.
struct Roster: ~Copyable {
  private var seats: ContiguousArray<Unmanaged<Seat>?> = []
  private var vacancyCount = 0

  deinit {
    for seat in seats { seat?.release() }
  }

  var isEmpty: Bool { seats.isEmpty }

  mutating func insert(_ seat: Seat) {
    seat.position = seats.count
    seats.append(.passRetained(seat))
  }

  /// Takes a seat out, and releases it; one that is not in the roster stays as it is.
  mutating func remove(_ seat: Seat) {
    guard seat.position >= 0 else { return }
    let held = seats[seat.position]
    seats[seat.position] = nil
    seat.position = -1
    vacancyCount += 1
    while case .some(nil) = seats.last {
      seats.removeLast()
      vacancyCount -= 1
    }
    if vacancyCount > 16, vacancyCount * 2 > seats.count { compact() }
    held?.release()
  }

  private mutating func compact() {
    seats.removeAll { $0 == nil }
    vacancyCount = 0
    for (position, seat) in seats.enumerated() {
      seat?._withUnsafeGuaranteedRef { $0.position = position }
    }
  }

  /// Visits the seats, all of which must be of the given class.
  @inline(__always)
  func forEach<Kind: Seat>(_: Kind.Type, _ body: (Kind) -> Void) {
    seats.withUnsafeBufferPointer { seats in
      for seat in seats {
        seat?._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: Kind.self)) }
      }
    }
  }
}
