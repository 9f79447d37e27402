/// The last transitions of a machine by the names of their cases.
///
/// It must keep nothing alive that a state or an event held, such as a countdown. So it keeps whole
/// transitions, which costs nothing, only where they are plain bytes, and else their names.
@usableFromInline
struct TransitionHistory<M: Machine> {
  @usableFromInline typealias Edge = MachineModel<M>.Edge

  /// True when states and events hold no references.
  @inlinable static var isPlain: Bool { _isPOD(M.State.self) && _isPOD(M.Event.self) }

  @usableFromInline var whole: Ring<MachineTransition<M>>
  private var names: Ring<Edge>

  init(capacity: Int) {
    whole = Ring(capacity: Self.isPlain ? capacity : 0)
    names = Ring(capacity: Self.isPlain ? 0 : capacity)
  }

  /// Takes a transition, or its name where that is what must be kept.
  mutating func append(_ transition: MachineTransition<M>, _ name: Edge?) {
    if let name { names.append(name) } else { whole.append(transition) }
  }

  /// What is kept, oldest first: either the one or the other.
  var copy: (whole: [MachineTransition<M>], names: [Edge]) { (whole.all, names.all) }

  /// What is kept, by name; for one who has given the lock back.
  static func named(_ copy: (whole: [MachineTransition<M>], names: [Edge])) -> [Edge] {
    copy.names + copy.whole.map { Edge($0) }
  }

  func destroy() {
    whole.destroy()
    names.destroy()
  }
}
