public import ReunionCore
package import ReunionFlow

extension Conversation: Machine {
  /// How long a state may last.
  package static func deadline(_ state: State) -> Deadline<Event>? {
    let seconds = patienceSeconds(state)
    return seconds == 0 ? nil : Deadline(after: .seconds(seconds), send: .greetingExpired)
  }

  /// The step from a state on an event; see `Conversation.advance(_:by:)`.
  package static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    var next = state
    guard let effects = advance(&next, by: event) else {
      throw InvalidTransition(from: state, event: event)
    }
    return isOneVisit(state, next)
      ? .stay(next, performing: effects) : .to(next, performing: effects)
  }

  private static func isOneVisit(_ one: State, _ other: State) -> Bool {
    switch (one, other) {
    case (.idle, .idle), (.greeting, .greeting), (.comparing, .comparing), (.pulling, .pulling),
      (.resuming, .resuming), (.live, .live), (.renewing, .renewing), (.closed, .closed):
      true
    default: false
    }
  }
}

extension Later {
  /// The sentence for a person; nil if there is none.
  package var text: String? { sentence.textForPerson }
}

extension Conversation.Ending {
  /// The sentence for a person; nil if there is none.
  package var text: String? { sentence.textForPerson }
}

extension [UInt8] {
  fileprivate var textForPerson: String? { isEmpty ? nil : String(decoding: self, as: UTF8.self) }
}
