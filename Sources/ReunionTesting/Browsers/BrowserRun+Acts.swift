import ReunionCore
import ReunionStore

/// What people do in a page: the first two entities of the app's model are enough for it.
extension BrowserRun {
  /// An action in a page: what it writes, and of which records.
  private struct Write {
    var list: [BrowserValue]
    var ids: Set<String>
    /// What must show at once.
    var shows: (id: String, field: String, text: String)?
    var hides: String?
  }

  private var main: EntityDescription { simulation.simulation.models[0].entities[0] }
  private var other: EntityDescription { simulation.simulation.models[0].entities[1] }
  private var texts: [String] { main.fields.filter { $0.kind == .text }.map(\.name) }

  mutating func act(
    _ browser: WorldBrowser, _ act: BrowserAct, _ random: inout SeededRandom
  ) throws {
    guard let tab = tab(of: browser, &random),
      let write = try drawn(act, browser, tab, &random)
    else { return }
    if act == .delete { deleted[browser.number] = write.hides }
    try perform(write, in: tab, of: browser)
  }

  /// Two tabs write at one moment, the later one over what the earlier one may not have seen.
  mutating func actAtOnce(_ browser: WorldBrowser, _ random: inout SeededRandom) throws {
    guard let one = tab(of: browser, &random),
      let two = pages.tabs(of: browser).first(where: { $0 != one }) ?? open(browser),
      let first = try drawn(.createBoth, browser, one, &random),
      let second = try drawn(.edit, browser, two, &random)
    else { return }
    pages.tell([
      "do": "together",
      "events": .list([event(first, one), event(second, two)].map { .object($0) }),
    ])
    try checkWritten(by: [one, two], browser)
    try learn(browser)
  }

  /// A tab dies while it writes two records: both are on the disk, or none.
  mutating func dieInWriting(
    _ browser: WorldBrowser, _ tasks: Int, _ random: inout SeededRandom
  ) throws {
    guard let tab = tab(of: browser, &random),
      let write = try drawn(.createBoth, browser, tab, &random)
    else { return }
    var event = event(write, tab)
    event["dies"] = ["tab": .text(tab), "after": .number(tasks)]
    pages.tell(event)
    pages.forget(tab, tellsOther: true)
    pages.tell(["do": "kill", "tab": .text(tab)])
    let records = Set(try learn(browser).map { "\($0.record)" })
    let there = records.intersection(write.ids)
    guard there.isEmpty || there == write.ids else {
      throw Violation(7, "\(browser.name) kept half of what a tab wrote that died")
    }
  }

  private func event(_ write: Write, _ tab: String) -> [String: BrowserValue] {
    ["do": "write", "tab": .text(tab), "id": .text(tab), "list": .list(write.list)]
  }

  private mutating func perform(
    _ write: Write, in tab: String, of browser: WorldBrowser
  ) throws {
    pages.tell(event(write, tab))
    let isWritten = try checkWritten(by: [tab], browser)
    let fresh = try learn(browser)
    guard isWritten else {
      let there = Set(fresh.map { "\($0.record)" }).intersection(write.ids)
      guard there.isEmpty else {
        throw Violation(7, "\(browser.name) kept what it said had failed")
      }
      return
    }
    if let (id, field, text) = write.shows {
      guard let record = try look(tab, id), record.alive == true, record.texts[field] == text
      else { throw Violation(6, "\(tab) does not read what it has written") }
    }
    if let id = write.hides, try look(tab, id)?.alive == true {
      throw Violation(6, "\(tab) shows what it has deleted")
    }
  }

  /// Whether writes are on the disk; throws where one failed without a reason.
  @discardableResult
  private func checkWritten(by tabs: [String], _ browser: WorldBrowser) throws -> Bool {
    try pages.check()
    let effects = pages.takeEffects()
    if let wrong = effects.first(where: { $0.failed != nil || $0.warned != nil }) {
      guard !fullDisks.isEmpty else {
        throw Violation(6, "\(wrong.tab): \(wrong.failed ?? wrong.warned ?? "")")
      }
    }
    let isWritten = tabs.allSatisfy { tab in
      effects.contains { $0.tab == tab && $0.written != nil && $0.failed == nil }
    }
    guard isWritten || fullDisks.contains(browser.number) else {
      throw Violation(13, "a write in \(browser.name) does not end")
    }
    return isWritten
  }

  private func look(_ tab: String, _ id: String) throws -> BrowserScreen.Record? {
    let found = pages.ask(
      ["do": "look", "tab": .text(tab), "record": [.text(main.name), .text(id)]],
      BrowserLook.self)
    try pages.check()
    return found?.record
  }

  /// The ids of the living records of the first entity that a tab shows.
  private func shown(_ tab: String) throws -> [String] {
    let screen = pages.ask(
      ["do": "look", "tab": .text(tab), "isBrief": true], BrowserScreen.self)
    try pages.check()
    return (screen?.records ?? []).filter { $0.entity == main.name }.map(\.id).sorted()
  }

  // MARK: What is written

  private func drawn(
    _ act: BrowserAct, _ browser: WorldBrowser, _ tab: String, _ random: inout SeededRandom
  ) throws -> Write? {
    let ids = try shown(tab)
    guard let some = ids.randomElement(using: &random) else { return create(1, &random) }
    let text = text(&random)
    let field = texts[random.below(texts.count)]
    switch act {
    case .create: return create(1, &random)
    case .createMany: return create(6, &random)
    case .edit: return set([(some, field, text)])
    case .editTwo:
      let two = ids[random.below(ids.count)]
      return set([(some, texts[0], text), (two, texts[1], text)])
    case .delete:
      return Write(
        list: [["delete", .text(main.name), .text(some)]], ids: [some], hides: some)
    case .restore:
      guard let gone = deleted[browser.number], try look(tab, gone) != nil else { return nil }
      return Write(list: [["restore", .text(main.name), .text(gone)]], ids: [gone])
    case .createAgain:
      guard let gone = deleted[browser.number] else { return nil }
      return Write(
        list: [created(main.name, [field: .text(text)], gone)], ids: [gone],
        shows: (gone, field, text))
    case .createBoth:
      var write = create(1, &random)
      let id = newID(&random)
      let target = other.fields.first { $0.kind == .reference }?.name ?? ""
      write.list.insert(created(other.name, [target: .text(write.ids.first ?? "")], id), at: 0)
      write.ids.insert(id)
      return write
    }
  }

  private func create(_ count: Int, _ random: inout SeededRandom) -> Write {
    var write = Write(list: [], ids: [])
    for _ in 0..<count {
      let (id, text) = (newID(&random), text(&random))
      write.list.append(
        created(main.name, [texts[0]: .text(text), texts[1]: .text(text)], id))
      write.ids.insert(id)
      write.shows = (id, texts[0], text)
    }
    return write
  }

  private func created(
    _ entity: String, _ values: [String: BrowserValue], _ id: String
  ) -> BrowserValue {
    ["create", .text(entity), .object(values), .text(id)]
  }

  private func set(_ edits: [(id: String, field: String, text: String)]) -> Write {
    Write(
      list: edits.map { edit in
        ["set", .text(main.name), .text(edit.id), .object([edit.field: .text(edit.text)])]
      },
      ids: Set(edits.map(\.id)), shows: edits.last)
  }

  private func newID(_ random: inout SeededRandom) -> String {
    "\(RecordID(high: random.next(), low: random.next()))"
  }

  private func text(_ random: inout SeededRandom) -> String {
    let own = String(random.next() >> 40, radix: 36)
    return own
      + ["", "\u{0}", "e\u{301}", String(repeating: "z", count: random.below(900))][
        random.below(4)]
  }
}
