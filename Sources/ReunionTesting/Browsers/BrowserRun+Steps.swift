import ReunionCore
import ReunionFlow
import ReunionStore

/// What each step does in browsers.
extension BrowserRun {
  mutating func perform(_ step: BrowserStep, _ random: inout SeededRandom) throws {
    switch step {
    case .world(.sleep(let days)): try sleep(days, &random)
    case .world(let step): try base.perform(step, &random)
    case .act(let number, let act): try browser(number).map { try self.act($0, act, &random) }
    case .actAtOnce(let number): try browser(number).map { try actAtOnce($0, &random) }
    case .dieInWriting(let number, let tasks):
      try browser(number).map { try dieInWriting($0, tasks, &random) }
    case .openTab(let number):
      guard let browser = browser(number), pages.tabs(of: browser).count < 3 else { return }
      open(browser)
    case .cutPower(let number): try browser(number).map { try cutPower($0) }
    case .keep(let number): browser(number).map { keep($0) }
    case .goBack(let number): try browser(number).map { try goBack($0) }
    case .setClock(let number, let error): browser(number).map { setClock($0, error) }
    case .fillDisk(let number, let isFull): browser(number).map { fill($0, isFull) }
    case .cut(let number, let messages, let isBrowsers):
      browser(number).map { pages.cut($0, afterMessages: messages, ofBrowser: isBrowsers) }
    case .network(let number, let weather): browser(number)?.setQuality(weather.quality)
    case .partition(let number, let there, let back):
      browser(number)?.partition(there: there, back: back)
    default: try performInTab(step, &random)
    }
  }

  private mutating func performInTab(
    _ step: BrowserStep, _ random: inout SeededRandom
  ) throws {
    switch step {
    case .leaveTab(let number): someTab(number, &random).map { end($0, leaves: true) }
    case .killTab(let number): someTab(number, &random).map { end($0, leaves: false) }
    case .hide(let number, let isHidden):
      guard let tab = someTab(number, &random) else { return }
      pages.tell([
        "do": "happen", "tab": .text(tab), "event": "visibilitychange",
        "isHidden": .bool(isHidden),
      ])
    case .networkReturned(let number):
      guard let tab = someTab(number, &random) else { return }
      pages.tell(["do": "happen", "tab": .text(tab), "event": "online"])
    case .renew(let number):
      guard let browser = browser(number), let tab = someTab(number, &random) else { return }
      try learn(browser)
      // What it issues anew are the same writes under other numbers.
      forkSite(of: browser)
      pages.tell(["do": "renew", "tab": .text(tab)])
      try learn(browser)
    default: break
    }
  }

  func browser(_ number: Int) -> WorldBrowser? {
    number < pages.browsers.count ? pages.browsers[number] : nil
  }

  private func someTab(_ number: Int, _ random: inout SeededRandom) -> String? {
    guard let browser = browser(number) else { return nil }
    let tabs = pages.tabs(of: browser)
    return tabs.isEmpty ? nil : tabs[random.below(tabs.count)]
  }

  /// A phone in a drawer has no page open.
  private mutating func sleep(_ days: Int, _ random: inout SeededRandom) throws {
    for browser in pages.browsers { end(browser, leaves: true) }
    try base.perform(.sleep(days: days), &random)
    for browser in pages.browsers { open(browser) }
  }

  /// The power fails: what a page was told is on the disk still is.
  private mutating func cutPower(_ browser: WorldBrowser) throws {
    // What others have issued anew may be here already.
    for each in pages.browsers { try learn(each) }
    let before = holdings[browser.number]
    for tab in pages.tabs(of: browser) { pages.forget(tab, tellsOther: false) }
    pages.tell(["do": "powerCut", "browser": .text(browser.name)])
    try learn(browser)
    try checkDisk(browser, since: before)
    open(browser)
  }

  /// What a browser wrote is on its disk, or what dominates it (5), and nothing in part (7); but for what
  /// it let go before, since its server had lost what dominates it.
  func checkDisk(_ browser: WorldBrowser, since before: Holdings? = nil) throws {
    guard let holdings = holdings[browser.number] else { return }
    let lettingGo = base.oracle.isAnyPutBack ? before : nil
    try base.oracle.check(
      browser.name, device: browser.device, holdings, lettingGo: base.lettingGo)
    for (number, write) in base.oracle.writes.enumerated()
    where write.author == browser.author && write.fate == .sure {
      guard taken[browser.number]?.contains(number) != true else { continue }
      if let lettingGo, !base.oracle.shows(lettingGo.state(write.place), write) { continue }
      guard base.oracle.holds(holdings.state(write.place), write) else {
        throw Violation(5, "\(browser.name) forgot \(base.oracle.name(write))")
      }
    }
  }

  private mutating func keep(_ browser: WorldBrowser) {
    kept.insert(browser.number)
    pages.tell([
      "do": "copy", "browser": .text(browser.name), "as": .text("\(browser.name), earlier"),
    ])
  }

  /// The database goes back to what it was. What this browser alone had is gone.
  private mutating func goBack(_ browser: WorldBrowser) throws {
    guard kept.contains(browser.number) else { return }
    try learn(browser)
    let before = holdings[browser.number]?.vector
    end(browser, leaves: false)
    pages.tell([
      "do": "copy", "browser": .text("\(browser.name), earlier"), "as": .text(browser.name),
    ])
    try learn(browser)
    forkSite(of: browser, since: before)
    let rescuers = try base.rescuers()
    let (known, own) = (base.oracle, holdings[browser.number])
    let isGone: (KnownWrite) -> Bool = { write in
      write.author == browser.author && write.fate == .sure
        && own.map { known.holds($0.state(write.place), write) } != true
    }
    let gone = known.writes.indices.filter { isGone(known.writes[$0]) }
    taken[browser.number, default: []].formUnion(gone)
    base.oracle.open { write in
      isGone(write) && !rescuers.contains { known.holds($0.brings(write), write) }
    }
    open(browser)
  }

  /// From now on numbers of the browser's sites may name two writes, those of sites that it had before
  /// too, of which it knows no number now.
  private mutating func forkSite(of browser: WorldBrowser, since before: VersionVector? = nil) {
    let now = holdings[browser.number]?.vector ?? VersionVector()
    for dot in (before ?? now).entries + now.entries where dot.site.device == browser.device {
      base.oracle.putBack(to: dot.site, seq: now[dot.site])
    }
  }
}
