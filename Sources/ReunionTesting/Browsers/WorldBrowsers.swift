import Foundation
import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionStore
import ReunionSync

/// The browsers of a world: pages of the library in a process beside it, in lockstep with its clock.
/// One event goes in, all that follows from it at this moment comes out, then the clock moves.
///
/// *Thread*: that of the world.
final class WorldBrowsers: WorldPages {
  private struct Dialled {
    let tab: String
    let browser: WorldBrowser
    let ends: (StreamLink, StreamLink)
    let session: Session?
  }

  private struct State {
    var browsers: [WorldBrowser] = []
    /// The browser of each tab.
    var tabs: [String: WorldBrowser] = [:]
    var links: [Int: Dialled] = [:]
    /// The earliest moment at which the pages are woken, in milliseconds.
    var wakesAt: Int?
    var effects: [BrowserEffect] = []
    var fault: String?
    var isOver = false
  }

  unowned let world: World
  private let pipe: any BrowserPipe
  private let state = Lock(State())
  /// What their links carried.
  let log = LinkLog()

  init(world: World, pipe: any BrowserPipe) {
    self.world = world
    self.pipe = pipe
    tell([
      "do": "begin", "seed": .number(Int(world.seed & 0xffff_ffff)),
      "startedAt": .number(Int(world.clock.wallMilliseconds)),
      "blocks": .bool(world.blocks != nil),
    ])
  }

  var browsers: [WorldBrowser] { state.withLock { $0.browsers } }

  func add(_ options: WorldBrowser.Options) {
    let browser = WorldBrowser(options, number: browsers.count, world: world)
    state.withLock { $0.browsers.append(browser) }
  }

  /// The open tabs of a browser, by name.
  func tabs(of browser: WorldBrowser) -> [String] {
    state.withLock { state in state.tabs.filter { $0.value === browser }.keys.sorted() }
  }

  func opens(_ tab: String, of browser: WorldBrowser) {
    state.withLock { $0.tabs[tab] = browser }
  }

  /// Whether a tab has opened: on a full disk it cannot.
  func isOpen(_ tab: String) -> Bool {
    state.withLock { state in state.effects.contains { $0.tab == tab && $0.open != nil } }
  }

  // MARK: Events

  /// What tabs have done since this was asked last, other than with their links.
  func takeEffects() -> [BrowserEffect] {
    state.withLock { state in
      defer { state.effects = [] }
      return state.effects
    }
  }

  /// Throws what went wrong on the way, when it could not be thrown at once.
  func check() throws {
    if let fault = state.withLock({ $0.fault }) { throw BrowserFault(description: fault) }
  }

  /// Tells an event of this moment, and performs what follows from it.
  func tell(_ event: [String: BrowserValue]) { _ = ask(event, NoResult.self) }

  /// Tells an event that has a result; nil where something went wrong, which `check` throws.
  func ask<Result: Decodable>(_ event: [String: BrowserValue], _: Result.Type) -> Result? {
    guard state.withLock({ $0.fault == nil && !$0.isOver }) else { return nil }
    var event = event
    event["at"] = .number(Int(world.clock.now.nanoseconds / 1_000_000))
    do {
      let line = try pipe.tell(try BrowserValue.object(event).line)
      let answer = try JSONDecoder().decode(BrowserAnswer<Result>.self, from: Data(line.utf8))
      if let wrong = answer.error ?? answer.broken { throw BrowserFault(description: wrong) }
      for effect in answer.effects ?? [] { perform(effect) }
      if let next = answer.next { wake(at: Int(next.rounded(.up))) }
      return answer.result
    } catch {
      state.withLock { $0.fault = "\(error) (at \(event["do"] ?? ""))" }
      return nil
    }
  }

  private func wake(at milliseconds: Int) {
    let now = Int(world.clock.now.nanoseconds / 1_000_000)
    let due = max(milliseconds, now)
    let isEarlier = state.withLock { state in
      if let wakesAt = state.wakesAt, wakesAt <= due { return false }
      state.wakesAt = due
      return true
    }
    guard isEarlier else { return }
    let moment = max(Moment(nanoseconds: Int64(due) * 1_000_000), world.clock.now)
    world.clock.schedule(at: moment) { [weak self] in
      guard let self, state.withLock({ $0.wakesAt == due }) else { return }
      state.withLock { $0.wakesAt = nil }
      tell(["do": "advance", "to": .number(due)])
    }
  }

  // MARK: Links

  private func perform(_ effect: BrowserEffect) {
    if let link = effect.connect {
      connect(link, effect.tab)
    } else if let link = effect.send {
      guard let bytes = effect.bytes.flatMap({ Data(base64Encoded: $0) }) else { return }
      state.withLock { $0.links[link] }?.ends.0.send([UInt8](bytes))
    } else if let number = effect.asks {
      giveBlock(to: effect.tab, asked: number, from: effect.from ?? 0)
    } else if let link = effect.close {
      state.withLock { $0.links.removeValue(forKey: link) }?.ends.0.close()
    } else {
      state.withLock { $0.effects.append(effect) }
    }
  }

  private func connect(_ number: Int, _ tab: String) {
    guard let browser = state.withLock({ $0.tabs[tab] }) else { return }
    let ends = StreamLink.pair(clock: world.clock, browser.there, browser.back, log: log)
    let session = browser.accept(ends.1, world: world)
    state.withLock {
      $0.links[number] = Dialled(tab: tab, browser: browser, ends: ends, session: session)
    }
    ends.0.start { [weak self] event in self?.heard(event, on: number) }
  }

  /// Answers a page that asks for a block, as its server would, unless the link breaks.
  private func giveBlock(to tab: String, asked number: Int, from start: Int) {
    guard let browser = state.withLock({ $0.tabs[tab] }), let blocks = world.blocks,
      let store = browser.acceptor.running, !browser.there.isCut, !browser.back.isCut
    else { return }
    let isWriter = (try? store.hasChanges(of: browser.device, in: world.space)) != false
    let world = world
    blocks.blocks(of: browser.acceptor, store).block(of: world.space, .leaf) { [weak self] block in
      let delay = world.random.draw { Int.random(in: 5...2_000, using: &$0) }
      world.clock.schedule(at: world.clock.now.advanced(by: .milliseconds(delay))) {
        [weak self] in
        self?.answer(number, with: isWriter ? nil : block, of: store, from: start)
      }
    }
  }

  private func answer(_ number: Int, with block: Block?, of store: Store, from start: Int) {
    var event: [String: BrowserValue] = ["do": "answered", "asks": .number(number)]
    if let block, var bytes = try? store.options.disk.read(block.path), start < bytes.count {
      let (most, damaged) = world.random.draw { random in
        (
          random.happens(0.4) ? Int.random(in: 0..<bytes.count, using: &random) : bytes.count,
          random.happens(0.1) ? Int.random(in: 0..<bytes.count, using: &random) : nil
        )
      }
      if let damaged { bytes[damaged] ^= 4 }
      event["status"] = .number(start > 0 ? 206 : 200)
      event["tag"] = .text(block.hash.description)
      event["bytes"] = .text(Data(bytes.dropFirst(start)).base64EncodedString())
      event["most"] = .number(max(most - start, 0))
    } else {
      event["status"] = 204
    }
    tell(event)
  }

  private func heard(_ event: LinkEvent, on link: Int) {
    guard state.withLock({ $0.links[link] != nil }) else { return }
    switch event {
    case .opened: tell(["do": "opened", "link": .number(link)])
    case .received(let bytes):
      tell([
        "do": "received", "link": .number(link),
        "bytes": .text(Data(bytes).base64EncodedString()),
      ])
    case .closed:
      state.withLock { $0.links[link] = nil }
      tell(["do": "closed", "link": .number(link)])
    case .drained: break
    }
  }

  /// Ends the links of a browser after `count` more messages of one side.
  func cut(_ browser: WorldBrowser, afterMessages count: Int, ofBrowser isBrowsers: Bool) {
    for link in links(where: { $0.browser === browser }) {
      (isBrowsers ? link.ends.0 : link.ends.1).cut(afterMessages: count)
    }
  }

  /// Removes a tab with its links, so that nothing more of it is heard.
  func forget(_ tab: String, tellsOther: Bool) {
    state.withLock { $0.tabs[tab] = nil }
    for link in links(where: { $0.tab == tab }) { link.ends.0.die(tellsOther: tellsOther) }
    state.withLock { state in state.links = state.links.filter { $0.value.tab != tab } }
  }

  /// Ends what belongs to a replica whose process has ended.
  func stopped(_ replica: WorldReplica, _ end: ReplicaEnd) {
    guard end == .closed else { return silence(replica, tellsOther: end != .powerCut) }
    for link in links(where: { $0.browser.acceptor === replica }) { link.session?.stop() }
  }

  /// Has a replica vanish, so that nothing more of it is heard.
  func silence(_ replica: WorldReplica, tellsOther: Bool) {
    for link in links(where: { $0.browser.acceptor === replica }) {
      link.ends.1.die(tellsOther: tellsOther)
    }
  }

  private func links(where isWanted: (Dialled) -> Bool) -> [Dialled] {
    state.withLock { state in
      state.links.sorted { $0.key < $1.key }.map(\.value).filter(isWanted)
    }
  }

  /// Ends all of it: nothing is told any more.
  func remove() {
    let links = links { _ in true }
    state.withLock {
      $0.isOver = true
      $0.links = [:]
    }
    for link in links { link.ends.0.die(tellsOther: true) }
  }
}

extension World {
  /// Adds browsers, which a process beside the world runs.
  func addBrowsers(_ browsers: [WorldBrowser.Options], pipe: any BrowserPipe) -> WorldBrowsers {
    let all = WorldBrowsers(world: self, pipe: pipe)
    for options in browsers { all.add(options) }
    add(all)
    return all
  }
}
