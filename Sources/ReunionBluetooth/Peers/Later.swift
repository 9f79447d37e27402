/// Runs work on the strand of a `Bluetooth`, as long as that lives.
struct Later: Sendable {
  private let body: @Sendable (@escaping @Sendable (Switchboard) -> Void) -> Bool

  /// Has nothing that could run any.
  init() { body = { _ in false } }

  /// Keeps nothing alive.
  init(_ strand: Strand<Switchboard>) {
    body = { [weak strand] work in
      guard let strand else { return false }
      strand.run(work)
      return true
    }
  }

  /// Runs work there; false where all of it was released, so that the work never runs.
  @discardableResult
  func callAsFunction(_ work: @escaping @Sendable (Switchboard) -> Void) -> Bool { body(work) }
}
