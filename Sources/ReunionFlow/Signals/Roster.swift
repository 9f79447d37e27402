/// The place of one dependent in the roster of what it depends on; it does not keep it alive.
///
/// The owner of the turns alone touches it, which is why it may promise to be Sendable.
final class Seat<Target: AnyObject>: @unchecked Sendable {
  fileprivate weak var target: Target?
  fileprivate var position: Int?

  init(_ target: Target) { self.target = target }
}

/// Dependents in the order in which they came; insert and remove are amortised O(1).
struct Roster<Target: AnyObject> {
  private var seats: [Seat<Target>?] = []
  private var vacancies = 0

  mutating func insert(_ seat: Seat<Target>) {
    seat.position = seats.count
    seats.append(seat)
  }

  mutating func remove(_ seat: Seat<Target>) {
    guard let position = seat.position.take() else { return }
    seats[position] = nil
    vacancies += 1
    guard vacancies > 16, vacancies * 2 > seats.count else { return }
    seats.removeAll { $0 == nil }
    vacancies = 0
    for (position, seat) in seats.enumerated() { seat?.position = position }
  }

  func forEach(_ body: (Target) -> Void) {
    for seat in seats {
      if let target = seat?.target { body(target) }
    }
  }
}
