/// One thing that happens in a world with browsers. A step that names what is not there does nothing.
package enum BrowserStep: Hashable, Sendable {
  /// Something that happens in every world.
  case world(HistoryStep)
  /// Somebody does something in a tab.
  case act(browser: Int, BrowserAct)
  /// Two tabs of a browser write at one moment.
  case actAtOnce(browser: Int)
  /// A tab dies after this many tasks of one write.
  case dieInWriting(browser: Int, tasks: Int)
  case openTab(browser: Int)
  /// A window is closed.
  case leaveTab(browser: Int)
  /// A tab dies at once.
  case killTab(browser: Int)
  /// The machine loses power; a tab opens again.
  case cutPower(browser: Int)
  /// A tab is hidden or shown.
  case hide(browser: Int, Bool)
  /// The window hears that the network is back.
  case networkReturned(browser: Int)
  case setClock(browser: Int, errorMilliseconds: Int64)
  /// The disk is full, or has room again.
  case fillDisk(browser: Int, Bool)
  /// The database is kept as it is.
  case keep(browser: Int)
  /// The database goes back to what was kept last.
  case goBack(browser: Int)
  /// The replica writes as a new site.
  case renew(browser: Int)
  /// The links end after this many more messages of one side.
  case cut(browser: Int, messages: Int, ofBrowser: Bool)
  case network(browser: Int, Weather)
  case partition(browser: Int, there: Bool, back: Bool)
}

/// What somebody does in a tab.
package enum BrowserAct: String, Hashable, Sendable, CaseIterable {
  case create, edit, editTwo, delete, restore, createAgain, createBoth, createMany
}

/// A step with its place in the whole history.
package struct NumberedBrowserStep: Hashable, Sendable {
  package let number: Int
  package let step: BrowserStep
}

/// All that happens in a world with browsers, as a value.
package struct BrowserHistory: Hashable, Sendable, CustomStringConvertible {
  /// The replicas and their connections; its steps are those below.
  var base: History
  var browsers: [WorldBrowser.Options]
  package var steps: [NumberedBrowserStep]

  package var seed: UInt64 { base.seed }

  /// Makes a history of steps.
  package init(base: History, browsers: [WorldBrowser.Options], steps: [BrowserStep]) {
    self.base = base
    self.browsers = browsers
    self.steps = steps.enumerated().map { NumberedBrowserStep(number: $0, step: $1) }
  }

  func keeping(_ steps: [NumberedBrowserStep]) -> BrowserHistory {
    var history = self
    history.steps = steps
    return history
  }

  /// The same with the steps of these numbers alone.
  package func keeping(_ numbers: Set<Int>) -> BrowserHistory {
    keeping(steps.filter { numbers.contains($0.number) })
  }

  /// The numbers of its steps as a command takes them.
  package var stepNumbers: String {
    base.keeping(steps.map { History.NumberedStep(number: $0.number, step: .sleep(days: 0)) })
      .stepNumbers
  }

  /// The replicas, the browsers and the steps.
  package var description: String {
    let members = base.members.enumerated().map { "\($0) \($1.name)" }
    let pages = browsers.map { "\($0.name)→\($0.acceptor) \($0.role)" }
    let who = "replicas: \(members.joined(separator: ", "))"
    return
      ([who + "; browsers: " + pages.joined(separator: ", ")]
      + steps.map { "  \($0.number): \($0.step)" }).joined(separator: "\n")
  }
}
