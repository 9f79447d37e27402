extension MachineModel {
  /// The machine as a Mermaid state diagram, the same text for the same model.
  ///
  /// A note tells the deadline of a state that has one; dead ends lead to the end mark.
  public var mermaid: String {
    var lines = ["stateDiagram-v2", "  [*] --> \(start)"]
    lines += edges.map { "  \($0.from) --> \($0.to): \($0.event)" }
    lines += deadEnds.map { "  \($0) --> [*]" }
    for state in states {
      guard let deadline = deadlines[state] else { continue }
      lines.append("  note right of \(state): at most \(deadline)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The transition table in Markdown.
  public var table: String {
    let rows = edges.map { "| \($0.from) | \($0.event) | \($0.to) |" }
    return (["| from | event | to |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
  }
}
