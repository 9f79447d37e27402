import ReunionCore
import ReunionFlow
import ReunionStore

/// The end of a history with browsers: everything works again, and all must come together.
extension BrowserRun {
  /// How long all may take to become equal once everything works.
  private static let settlingSeconds = 900

  mutating func settle() throws {
    for browser in pages.browsers {
      fill(browser, false)
      browser.setQuality(.good)
      browser.partition(there: false, back: false)
      if pages.tabs(of: browser).isEmpty { open(browser) }
      for tab in pages.tabs(of: browser) {
        pages.tell([
          "do": "happen", "tab": .text(tab), "event": "visibilitychange", "isHidden": false,
        ])
      }
    }
    // Whatever a full disk made fail has failed by now.
    _ = pages.takeEffects()
    try base.mend()
    try settleBrowsers()
    _ = try base.settle()
    // Those that they dial may have learnt something since.
    try settleBrowsers()
    try check()
    for browser in pages.browsers {
      guard let holdings = holdings[browser.number] else { continue }
      try base.oracle.checkNothingIsLost(browser.name, holdings)
      try checkScreens(browser, holdings)
    }
  }

  private mutating func settleBrowsers() throws {
    var stall = try stall()
    var rest = Self.settlingSeconds / 10
    while stall != nil, rest > 0 {
      world.run(for: .seconds(10))
      try settleStep()
      stall = try self.stall()
      rest -= 1
    }
    if let stall { throw stall }
  }

  /// What keeps the browsers from being equal with those that they dial.
  private mutating func stall() throws -> Violation? {
    for browser in pages.browsers {
      try learn(browser)
      guard let store = browser.acceptor.running, let held = holdings[browser.number] else {
        return Violation(13, "\(browser.acceptor.name) does not run")
      }
      let expected = try Holdings(store, world.space)
      if base.standing(held) != base.standing(expected) {
        let place = Set(held.states.keys).union(expected.states.keys).sorted().first {
          base.standing(held)[$0] != base.standing(expected)[$0]
        }
        return Violation(
          1,
          "\(browser.name) and \(browser.acceptor.name) are not equal after "
            + "\(Self.settlingSeconds) s: they differ in "
            + (place.map { "\($0.entity)/\($0.id), \(difference(held, expected, $0))" } ?? "nothing")
        )
      }
      for tab in pages.tabs(of: browser) {
        guard let screen = try screen(of: tab, isBrief: true) else { continue }
        if screen.phase != "online" || screen.waiting > 0 {
          return Violation(
            16, "\(tab) says that it is \(screen.phase), and that \(screen.waiting) are waiting")
        }
      }
    }
    return nil
  }

  private func difference(_ one: Holdings, _ other: Holdings, _ place: RecordPlace) -> String {
    let (left, right) = (one.state(place).standing.cells, other.state(place).standing.cells)
    func names(_ cells: [Cell]) -> String {
      cells.map { base.oracle.name($0, place) }.joined(separator: "; ")
    }
    return "the first alone has [" + names(left.filter { !right.contains($0) })
      + "], the second alone [" + names(right.filter { !left.contains($0) }) + "]"
  }

  private func screen(of tab: String, isBrief: Bool = false) throws -> BrowserScreen? {
    let screen = pages.ask(
      ["do": "look", "tab": .text(tab), "isBrief": .bool(isBrief)], BrowserScreen.self)
    try pages.check()
    return screen
  }

  /// Every tab shows what the browser holds: its living records, and their texts.
  private func checkScreens(_ browser: WorldBrowser, _ holdings: Holdings) throws {
    let entities = simulation.simulation.models[0].entities
    let living = holdings.states.filter { place, state in
      state.isAlive && entities.contains { $0.number == place.entity }
    }
    for tab in pages.tabs(of: browser) {
      guard let records = try screen(of: tab)?.records else { continue }
      guard records.count == living.count else {
        throw Violation(1, "\(tab) shows \(records.count) records of \(living.count)")
      }
      for record in records {
        guard let entity = entities.first(where: { $0.name == record.entity }),
          let id = RecordID(record.id),
          let state = living[RecordPlace(entity: entity.number, id: id)]
        else { throw Violation(8, "\(tab) shows a record that is not on its disk") }
        for field in entity.fields where field.kind == .text {
          let text = state.register(field.number)?.value.text
          guard record.texts[field.name] == text else {
            throw Violation(1, "\(tab) shows another \(field.name) than is on its disk")
          }
        }
      }
    }
  }
}
