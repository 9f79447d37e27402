/// A value that follows from other nodes by a pure transform.
final class DerivedNode<Inputs, Value: Sendable>: ValueNode<Value>, @unchecked Sendable {
  /// Reads all sources at one point in time.
  typealias Read = @Sendable (Reading) -> Inputs
  private let read: Read
  private let transform: @Sendable (Inputs) -> Value
  private let isDuplicate: (@Sendable (Value, Value) -> Bool)?
  private var attachment: Attachment?

  private init(
    _ value: Value, sources: [Node], turns: Turns, read: @escaping Read,
    transform: @escaping @Sendable (Inputs) -> Value,
    isDuplicate: (@Sendable (Value, Value) -> Bool)?
  ) {
    self.read = read
    self.transform = transform
    self.isDuplicate = isDuplicate
    super.init(value, turns: turns, rank: 1 + (sources.map(\.rank).max() ?? 0))
    attachment = Attachment(of: self, to: sources)
  }

  deinit { attachment?.detach() }

  override func refresh() -> Bool {
    let new = transform(read(.current))
    if let isDuplicate, isDuplicate(value, new) { return false }
    next = new
    return true
  }

  /// Makes a node with its value at once; it follows its sources from the next turn on, and makes
  /// up for what they published in between. *Thread*: any.
  static func make(
    from sources: [Node], turns: Turns, read: @escaping Read,
    isDuplicate: (@Sendable (Value, Value) -> Bool)? = nil,
    transform: @escaping @Sendable (Inputs) -> Value
  ) -> DerivedNode {
    let (inputs, versions) = turns.locked { _ in (read(.published), sources.map(\.version)) }
    let node = DerivedNode(
      transform(inputs), sources: sources, turns: turns, read: read, transform: transform,
      isDuplicate: isDuplicate)
    turns.submit { turn in
      node.attachment?.attach()
      if sources.map(\.version) != versions { turn.mark(node) }
    }
    return node
  }
}
