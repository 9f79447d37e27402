import ReunionFlow

/// The life of one resumable upload: who may append to it, when it is checked, and when it is over.
///
/// A pure machine: the offsets come with the events, and files are touched by its effects.
enum UploadLife: Machine {
  /// Where the upload stands.
  enum State: Hashable, Sendable {
    /// Nobody is sending; `held` bytes are on disk.
    case waiting(held: UInt64)
    /// One request appends bytes.
    case receiving
    /// All bytes are here, and the server checks and stores them. Nobody appends meanwhile: a phone
    /// whose link died sends its end again.
    case checking
    /// Its bytes are a blob.
    case stored
    /// Its sender gave it up, its bytes were wrong, or nobody went on with it for too long.
    case forgotten
  }

  /// What happens to it.
  enum Event: Hashable, Sendable {
    /// A request wants to append from this byte on.
    case append(at: UInt64)
    /// The request broke off; `held` bytes are on disk.
    case brokenOff(held: UInt64)
    /// The whole request came; `held` bytes of `of` are on disk.
    case received(held: UInt64, of: UInt64)
    /// The blob is on disk.
    case adopted
    /// Its bytes are not what was promised, or not what the application takes.
    case refused
    /// It could not be checked or stored now; `held` bytes are on disk.
    case failed(held: UInt64)
    /// The sender gives it up.
    case cancel
    /// Nobody went on with it for too long.
    case expired
  }

  /// What the shell must do.
  enum Effect: Hashable, Sendable {
    /// Tell the sender how many bytes are here.
    case acknowledge(held: UInt64)
    /// Tell the sender to begin again.
    case disown
    /// Check the bytes and make them a blob; answer `adopted`, `refused` or `failed`.
    case check
    /// Delete its files.
    case forget
  }

  /// How long a state may last.
  static func deadline(_ state: State) -> Deadline<Event>? {
    guard case .waiting = state else { return nil }
    return Deadline(after: .seconds(UploadFolder.secondsMax), send: .expired)
  }

  /// The step from a state on an event; see the type.
  static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch (state, event) {
    case (.waiting(let held), .append(let offset)) where offset == held: return .to(.receiving)
    case (.waiting, .expired): return .to(.forgotten, .forget)
    case (.receiving, .brokenOff(let held)): return .to(.waiting(held: held))
    case (.receiving, .received(let held, let total)):
      return held == total
        ? .to(.checking, .check) : .to(.waiting(held: held), .acknowledge(held: held))
    case (.checking, .adopted): return .to(.stored, .forget)
    case (.checking, .refused): return .to(.forgotten, .forget)
    case (.checking, .failed(let held)): return .to(.waiting(held: held))
    case (.waiting, .cancel), (.receiving, .cancel), (.checking, .cancel):
      return .to(.forgotten, .forget)
    // A body that was under way when the sender gave up ends late. What else ends then finds nobody.
    case (.forgotten, .received): return .stay(.forgotten, .disown)
    default: throw InvalidTransition(from: state, event: event)
    }
  }
}
