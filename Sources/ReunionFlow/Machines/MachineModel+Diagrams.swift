extension MachineModel {
  /// The machine as a Mermaid state diagram, the same text for the same model.
  ///
  /// A note tells the deadline of a state that has one; dead ends lead to the end mark. Events
  /// between the same two states share an arrow. Compare it in a test with what a page shows, and
  /// the page never goes stale. *Source*: mermaid.js.org, state diagrams.
  public var mermaid: String {
    let ids = ids
    var lines = ["stateDiagram-v2"]
    for state in states where ids[state] != state {
      lines.append("  state \"\(Self.escaped(state, "#quot;"))\" as \(ids[state, default: state])")
    }
    lines += ["  [*] --> \(ids[start, default: start])"]
    lines += arrows.map { arrow in
      let ends = "\(ids[arrow.from, default: ""]) --> \(ids[arrow.to, default: ""])"
      return "  \(ends): \(arrow.events.joined(separator: "<br>"))"
    }
    lines += deadEnds.map { "  \(ids[$0, default: $0]) --> [*]" }
    for state in states {
      guard let deadline = deadlines[state] else { continue }
      lines.append("  note right of \(ids[state, default: state]): at most \(deadline)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The machine in the DOT language of Graphviz, the same text for the same model: `dot -Tsvg`
  /// draws it. Dead ends have two borders.
  public var dot: String {
    func quoted(_ text: String) -> String { "\"\(Self.escaped(text, "\\\""))\"" }
    var lines = ["digraph machine {", "  node [shape=box, style=rounded]", "  start [shape=point]"]
    for state in states {
      let label = deadlines[state].map { "\(state)\\nat most \($0)" } ?? state
      let shape = deadEnds.contains(state) ? ", peripheries=2" : ""
      lines.append("  \(quoted(state)) [label=\(quoted(label))\(shape)]")
    }
    lines.append("  start -> \(quoted(start))")
    for arrow in arrows {
      let label = quoted(arrow.events.joined(separator: "\\n"))
      lines.append("  \(quoted(arrow.from)) -> \(quoted(arrow.to)) [label=\(label)]")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  /// The transition table in Markdown, a row for each transition, in the order of discovery.
  public var table: String {
    let rows = edges.map { "| \($0.from) | \($0.event) | \($0.to) |" }
    return (["| from | event | to |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
  }

  /// The edges between two states as one arrow, in the order of discovery.
  private var arrows: [(from: String, to: String, events: [String])] {
    var arrows: [(from: String, to: String, events: [String])] = []
    for edge in edges {
      if let index = arrows.firstIndex(where: { $0.from == edge.from && $0.to == edge.to }) {
        arrows[index].events.append(edge.event)
      } else {
        arrows.append((edge.from, edge.to, [edge.event]))
      }
    }
    return arrows
  }

  /// A text whose quotation marks do not end it.
  private static func escaped(_ text: String, _ mark: String) -> String {
    text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: mark)
  }

  /// What Mermaid calls the states: it takes no spaces and signs in names.
  private var ids: [String: String] {
    var ids: [String: String] = [:]
    for (index, state) in states.enumerated() {
      let isPlain = state.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      ids[state] = isPlain ? state : "state\(index)"
    }
    return ids
  }
}
