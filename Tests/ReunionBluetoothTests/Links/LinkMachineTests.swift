import Foundation
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// Every step of the machine that keeps a link.
@Suite struct LinkMachineTests {
  typealias State = LinkMachine.State
  typealias Event = LinkMachine.Event
  typealias Effect = LinkMachine.Effect

  static let device = DeviceID("strap")

  static func context(_ losses: Int = 0, _ faults: Int = 0, greeting: Bool = true) -> LinkContext {
    LinkContext(device, hasGreeting: greeting, losses: losses, faults: faults)
  }

  static let events: [Event] =
    [
      .keep, .radio(isOn: true), .radio(isOn: false), .sighted, .connected, .discovered,
      .subscribed, .greeted, .failed, .refused(.keyLost), .refused(.refused), .timeout, .leave,
    ] + DisconnectReason.allCases.map { .lost($0) }

  static let model = MachineModel<LinkMachine>(
    start: .idle(context()), events: events)

  /// Each transition by hand: from, on, to, doing.
  static let steps: [(State, Event, State, [Effect])] = {
    let (p, q) = (context(2, 1), context())
    let away = context(3, 1)
    let absence = LinkMachine.absence
    var steps: [(State, Event, State, [Effect])] = [
      (.idle(p), .keep, .waitingForRadio(q), [.askRadio]),
      (.closed(p), .keep, .waitingForRadio(q), [.askRadio]),
      (.waitingForRadio(q), .radio(isOn: true), .connecting(q), [.connect]),
      (.seeking(p), .sighted, .connecting(p), [.stopScan, .connect]),
      (.suspended(p, .unknown, absence), .sighted, .connecting(context(0, 1)), [.connect]),
      (.suspended(p, .unknown, absence), .timeout, .connecting(p), [.connect]),
      (.barred(p, .keyLost), .timeout, .connecting(p), [.connect]),
      (.barred(p, .keyLost), .lost(.asked), .barred(p, .keyLost), []),
      (.connecting(p), .connected, .discovering(p), [.discover]),
      (.connecting(p), .timeout, .resetting(context(3, 1)), [.disconnect]),
      (.discovering(p), .discovered, .subscribing(p), [.subscribe]),
      (.subscribing(p), .subscribed, .greeting(p), [.greet]),
      (.greeting(p), .greeted, .ready(q), []),
      (.greeting(p), .refused(.keyLost), .barred(q, .keyLost), [.disconnect]),
      (.ready(p), .refused(.refused), .barred(q, .refused), [.disconnect]),
      (.ready(q), .failed, .resetting(context(0, 1)), [.disconnect]),
      (.resetting(p), .lost(.asked), .suspended(p, .unknown, .seconds(2)), []),
      (.resetting(p), .timeout, .suspended(p, .unknown, .seconds(2)), []),
      (.resetting(context(0, 3)), .lost(.asked), .seeking(q), [.forget, .scan]),
      (.resetting(context(0, 3)), .timeout, .seeking(q), [.forget, .scan]),
      (.leaving(p), .lost(.asked), .closed(p), []), (.leaving(p), .timeout, .closed(p), []),
    ]
    for state in [State.discovering(p), .subscribing(p), .greeting(p)] {
      for event in [Event.failed, .timeout] {
        steps.append((state, event, .resetting(context(2, 2)), [.disconnect]))
      }
    }
    for state in [
      State.connecting(p), .discovering(p), .subscribing(p), .greeting(p), .ready(p),
    ] {
      for reason in DisconnectReason.allCases {
        switch reason {
        case .outOfRange where state == .connecting(p):
          steps.append((state, .lost(reason), .suspended(p, reason, .seconds(1)), []))
        case .outOfRange, .notEstablished, .unknown:
          steps.append((state, .lost(reason), .connecting(away), [.connect]))
        case .asked, .leftOnPurpose:
          steps.append((state, .lost(reason), .suspended(away, reason, absence), []))
        case .keyLost, .refused: steps.append((state, .lost(reason), .barred(q, reason), []))
        case .unknownDevice: steps.append((state, .lost(reason), .seeking(away), [.scan]))
        }
      }
      steps.append((state, .leave, .leaving(p), [.disconnect]))
    }
    let suspended = State.suspended(p, .outOfRange, .seconds(1))
    steps.append(
      (.connecting(context(3)), .lost(.unknown), .suspended(context(4), .unknown, .seconds(1)), []))
    let resting: [State] = [.idle(p), .waitingForRadio(p), suspended, .barred(p, .refused)]
    steps += resting.map { ($0, .leave, .closed(p), []) }
    steps.append((.seeking(p), .leave, .closed(p), [.stopScan]))
    steps.append((.resetting(p), .leave, .leaving(p), []))
    let kept: [State] = [
      .seeking(p), .connecting(p), .discovering(p), .subscribing(p), .greeting(p), .ready(p),
      .resetting(p), suspended, .barred(p, .refused),
    ]
    steps += kept.map { ($0, .radio(isOn: false), .waitingForRadio(q), []) }
    steps.append((.leaving(p), .radio(isOn: false), .closed(p), []))
    let all = kept + [.leaving(p)]
    steps += all.map { ($0, .radio(isOn: true), $0, []) }
    steps += (all + [.waitingForRadio(p)]).map { ($0, .keep, $0, []) }
    for state in [State.idle(p), .closed(p)] {
      for isOn in [true, false] { steps.append((state, .radio(isOn: isOn), state, [])) }
    }
    steps.append((.waitingForRadio(p), .radio(isOn: false), .waitingForRadio(p), []))
    steps += [State.leaving(p), .closed(p)].map { ($0, .leave, $0, []) }
    return steps
  }()

  @Test func `each step leads where the table says, and does what it says`() throws {
    for (state, event, expected, effects) in Self.steps {
      let step = try LinkMachine.next(state, event)
      #expect(step.state == expected && step.effects == effects, "\(state) —\(event)→")
    }
  }

  @Test func `the table has each transition that the machine can make`() {
    let listed = Set(
      Self.steps.map { from, event, to, _ in
        "\(LinkMachine.name(ofState: from)) —\(LinkMachine.name(ofEvent: event))→ "
          + LinkMachine.name(ofState: to)
      })
    // Without a greeting it is ready at once.
    let missing = Set(Self.model.edges.map(\.description)).subtracting(listed)
    #expect(missing.isEmpty, "\(missing.sorted())")
    #expect(Self.model.isComplete)
  }

  @Test func `what cannot happen is refused, and changes nothing`() {
    let p = Self.context()
    let refused: [(State, Event)] = [
      (.idle(p), .connected), (.ready(p), .connected), (.ready(p), .timeout),
      (.seeking(p), .timeout), (.connecting(p), .discovered), (.discovering(p), .greeted),
      (.closed(p), .lost(.outOfRange)), (.waitingForRadio(p), .sighted),
      (.suspended(p, .unknown, .seconds(1)), .connected), (.barred(p, .refused), .sighted),
    ]
    for (state, event) in refused {
      #expect(throws: InvalidTransition.self, "\(state) —\(event)→") {
        try LinkMachine.next(state, event)
      }
    }
  }

  @Test func `without a greeting a device is ready when it has been subscribed to`() throws {
    let p = Self.context(greeting: false)
    #expect(try LinkMachine.next(.subscribing(p), .subscribed).state == .ready(p))
  }

  @Test func `waits grow from one second to thirty, and end when the device is seen`() throws {
    var waits: [Duration] = []
    var state = State.connecting(Self.context())
    for _ in 0..<12 {
      state = try LinkMachine.next(state, .lost(.notEstablished)).state
      if case .suspended(_, _, let delay) = state {
        waits.append(delay)
        state = try LinkMachine.next(state, .timeout).state
      }
    }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30, 30].map { .seconds($0) })
    guard case .connecting(let context) = state else { throw CancellationError() }
    #expect(context.losses == LinkMachine.lossesMax)
    let suspended = try LinkMachine.next(state, .lost(.notEstablished)).state
    #expect(try LinkMachine.next(suspended, .sighted).state.context.losses == 0)
  }

  @Test func `each step has a limit, and the wish to be connected has none`() {
    let p = Self.context()
    let limits: [(State, Duration?)] = [
      (.connecting(p), .seconds(45)), (.discovering(p), .seconds(10)),
      (.subscribing(p), .seconds(5)), (.greeting(p), .seconds(10)), (.resetting(p), .seconds(5)),
      (.leaving(p), .seconds(5)), (.barred(p, .refused), .seconds(60)), (.seeking(p), nil),
      (.waitingForRadio(p), nil), (.ready(p), nil), (.idle(p), nil), (.closed(p), nil),
    ]
    for (state, limit) in limits { #expect(LinkMachine.deadline(state)?.after == limit) }
  }

  static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/ReunionFlow/ReunionFlow.docc/machines.md")

  @Test func `the page shows the machine as it is`() throws {
    let page = try String(contentsOf: Self.page, encoding: .utf8)
    let mark = "<!-- machine: LinkMachine -->\n"
    let start = try #require(page.range(of: mark)?.upperBound)
    let end = try #require(page.range(of: "<!-- end -->", range: start..<page.endIndex)?.lowerBound)
    var drawn = page
    drawn.replaceSubrange(start..<end, with: "```mermaid\n\(Self.model.mermaid)```\n")
    if ProcessInfo.processInfo.environment["REUNION_WRITE_DIAGRAMS"] != nil {
      return try drawn.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(
      page == drawn,
      "machines.md is stale: REUNION_WRITE_DIAGRAMS=1 swift test --filter LinkMachineTests")
  }
}
