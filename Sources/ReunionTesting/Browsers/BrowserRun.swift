import ReunionCore
import ReunionFlow
import ReunionStore

/// A history with browsers under way: that of the replicas, and what browsers do in it.
struct BrowserRun {
  let simulation: BrowserSimulation
  let history: BrowserHistory
  let pages: WorldBrowsers
  var base: HistoryRun
  /// What each browser surely has on its disk, by its number.
  var holdings: [Int: Holdings] = [:]
  /// What was deleted in each browser last.
  var deleted: [Int: String] = [:]
  var kept: Set<Int> = []
  /// Which of its writes, by their numbers, going back took from a browser's disk: others keep these, and
  /// what comes back from them is not forced to the disk.
  var taken: [Int: Set<Int>] = [:]
  var fullDisks: Set<Int> = []
  private var tabCount = 0
  private var browserWriteCount = 0
  private var refused: Set<String> = []

  var world: World { base.world }

  init(
    _ history: BrowserHistory, of simulation: BrowserSimulation, pipe: any BrowserPipe
  ) throws {
    self.simulation = simulation
    self.history = history
    base = try HistoryRun(history.base, of: simulation.simulation)
    pages = base.world.addBrowsers(history.browsers, pipe: pipe)
    base.browserDevices = Set(pages.browsers.map(\.device))
    for browser in pages.browsers { setClock(browser, browser.options.clockErrorMilliseconds) }
  }

  /// Runs to the end; throws the first broken promise.
  mutating func run() throws -> BrowserSimulation.Outcome {
    defer { world.remove() }
    for numbered in history.steps {
      var random = SeededRandom(seed: history.seed ^ UInt64(numbered.number) &* 0x9e37_79b9)
      try perform(numbered.step, &random)
      try settleStep()
      if simulation.raisesHorizon { try base.raiseHorizon(numbered.number) }
      // By the number of the step, so that what is left out moves no check.
      var checks = SeededRandom(seed: history.seed &* 31 &+ UInt64(numbered.number))
      if checks.happens(0.3) { try check() }
    }
    try settle()
    return BrowserSimulation.Outcome(
      traceHash: world.traceHash ^ pages.log.trace.hash &* 3,
      writeCount: base.oracle.writes.count, browserWriteCount: browserWriteCount,
      refusedCount: refused.count)
  }

  /// Learns what has happened everywhere.
  mutating func settleStep() throws {
    try pages.check()
    for effect in pages.takeEffects() {
      for record in effect.refused ?? [] { refused.insert("\(effect.tab) \(record.id)") }
      guard let wrong = effect.failed ?? effect.warned else { continue }
      // A disk that is full ends sessions and openings, and nothing else.
      guard fullDisks.isEmpty else { continue }
      throw Violation(6, "\(effect.tab): \(wrong)")
    }
    try base.settleStep()
  }

  /// Checks every replica and every browser.
  mutating func check() throws {
    for browser in pages.browsers { try learn(browser) }
    try base.check()
    for browser in pages.browsers {
      guard let holdings = holdings[browser.number] else { continue }
      try base.oracle.check(
        browser.name, device: browser.device, holdings, lettingGo: base.lettingGo)
    }
  }

  /// Has the oracle look at what is on a browser's disk, and gives what it wrote since.
  @discardableResult
  mutating func learn(_ browser: WorldBrowser) throws -> [Change] {
    let disk = pages.ask(
      [
        "do": "stored", "browser": .text(browser.name), "space": .text("\(world.space)"),
        "isFlat": true,
      ], BrowserDisk.self)
    try pages.check()
    guard let disk else { return [] }
    let now = try Holdings(disk)
    holdings[browser.number] = now
    let fresh = try base.oracle.look(
      at: now, device: browser.device, author: browser.author, role: browser.options.role
    ) { [world] place in
      guard let store = browser.acceptor.running else { return [] }
      return try HistoryRun.healthy(browser.acceptor) {
        try store.record(entity: place.entity, place.id, in: world.space).map { [$0] } ?? []
      }
    }
    browserWriteCount += fresh.count
    return fresh
  }

  // MARK: Tabs

  /// Opens a tab; nil where its disk is full, and it cannot.
  @discardableResult
  mutating func open(_ browser: WorldBrowser) -> String? {
    tabCount += 1
    let tab = "\(browser.name).\(tabCount)"
    pages.opens(tab, of: browser)
    var event: [String: BrowserValue] = [
      "do": "open", "tab": .text(tab), "browser": .text(browser.name),
      "space": .text("\(world.space)"), "core": .text(simulation.core.rawValue),
      "device": .text(String("\(Site(device: browser.device, incarnation: 0))".prefix(16))),
      "model": simulation.simulation.models[0].described,
    ]
    if let bug = simulation.bug { event["bug"] = .text(bug) }
    pages.tell(event)
    if pages.isOpen(tab) || fullDisks.isEmpty { return tab }
    end(tab, leaves: false)
    return nil
  }

  /// One of the open tabs, or a new one.
  mutating func tab(of browser: WorldBrowser, _ random: inout SeededRandom) -> String? {
    let tabs = pages.tabs(of: browser)
    return tabs.isEmpty ? open(browser) : tabs[random.below(tabs.count)]
  }

  /// Ends all tabs of a browser.
  func end(_ browser: WorldBrowser, leaves: Bool) {
    for tab in pages.tabs(of: browser) { end(tab, leaves: leaves) }
  }

  func end(_ tab: String, leaves: Bool) {
    if leaves {
      pages.tell(["do": "leave", "tab": .text(tab)])
      pages.forget(tab, tellsOther: true)
    } else {
      pages.forget(tab, tellsOther: true)
      pages.tell(["do": "kill", "tab": .text(tab)])
    }
  }

  func setClock(_ browser: WorldBrowser, _ milliseconds: Int64) {
    pages.tell([
      "do": "browser", "browser": .text(browser.name), "clockOffset": .number(Int(milliseconds)),
    ])
  }

  mutating func fill(_ browser: WorldBrowser, _ isFull: Bool) {
    if isFull { fullDisks.insert(browser.number) } else { fullDisks.remove(browser.number) }
    pages.tell(["do": "browser", "browser": .text(browser.name), "isFull": .bool(isFull)])
  }
}

extension Model {
  /// What a page needs to know of it.
  var described: BrowserValue {
    .object([
      "entities": .list(
        entities.map { entity in
          .object([
            "number": .number(Int(entity.number)), "name": .text(entity.name),
            "fields": .list(
              entity.fields.map { field in
                .object([
                  "number": .number(Int(field.number)), "name": .text(field.name),
                  "kind": .number(Int(field.kind.rawValue)),
                ])
              }),
          ])
        })
    ])
  }
}
