import ReunionCore
import ReunionStore
import ReunionSync
import ReunionTesting

/// What a session goes through when the other side keeps to no protocol, or its own store fails it.
enum ConversationScenes {
  static let all = happenings + closings + meetings + absences + pushes

  private static let happenings = [
    Encounter.Stage.greeting, .pulling, .awaitingAll, .live, .renewing,
  ].map { stage in
    Scene("whatever may happen while \(stage)") { coverage in
      for happening in Encounter.happenings {
        let encounter = try Encounter(stage, coverage)
        try happening(encounter)
        encounter.pass(seconds: 5)
      }
    }
  }

  private static let closings = [
    Scene("nobody opens the link") { try Encounter(.knocking, $0).pass(seconds: 300) },
    Scene("the program ends a session whose link is not open") { coverage in
      let encounter = try Encounter(.knocking, coverage)
      encounter.stranger.session.stop()
      encounter.pass(seconds: 1)
      encounter.stranger.arrive()
    },
    Scene("the store is closed before the link is open") { coverage in
      let encounter = try Encounter(.knocking, coverage)
      try encounter.host.store.close()
      encounter.stranger.arrive()
    },
    Scene("the store is closed before the other side says hello") { coverage in
      let encounter = try Encounter(.greeting, coverage)
      try encounter.host.store.close()
      encounter.say(encounter.stranger.hello())
    },
    Scene("the store is closed before the other side says what it holds") { coverage in
      let encounter = try Encounter(.pulling, coverage)
      try encounter.host.store.close()
      encounter.say(encounter.stranger.pull())
    },
    Scene("the store is closed before a push has ended") { coverage in
      let encounter = try Encounter(.live, coverage)
      try encounter.host.store.close()
      encounter.say(Encounter.pushEnd())
    },
  ]

  private static let meetings = [
    Scene("a guest says hello in another's name") { coverage in
      let encounter = try Encounter(.greeting, as: .add, coverage)
      encounter.say(encounter.stranger.hello(as: Site(device: 99, incarnation: 1)))
    },
    Scene("a vector comes in parts, and names a site twice") { coverage in
      let encounter = try Encounter(.pulling, coverage)
      let dot = Dot(site: Stranger.site, seq: 1)
      encounter.say(
        encounter.stranger.pull([dot], isWhole: false), encounter.stranger.pull([dot]))
    },
    Scene("the other side holds more of the host's changes than it made") { coverage in
      let encounter = try Encounter(.pulling, coverage)
      encounter.say(encounter.stranger.pull([Dot(site: encounter.host.store.site, seq: 99)]))
    },
    Scene("the other side says so at the end of a push") { coverage in
      let encounter = try Encounter(.live, coverage)
      encounter.say(Encounter.pushEnd(encounter.host.store.site, 99))
    },
    Scene("the other side brings a position of a time that the host has lost") { coverage in
      let encounter = try Encounter(.greeting, coverage)
      let (world, host) = (encounter.world, encounter.host)
      let before = host.snapshot()
      try host.write("lost", in: world)
      encounter.say(encounter.stranger.hello(), encounter.stranger.pull())
      let positions = encounter.stranger.heard.compactMap { message -> [UInt8]? in
        if case .pushEnd(let end) = message { end.position } else { nil }
      }
      host.restore(before)
      try host.start()
      let later = Stranger(at: host)
      later.arrive()
      later.say([later.hello(), later.pull(position: positions.last ?? [])])
      encounter.pass(seconds: 1)
    },
  ]

  private static let absences = [
    Scene("a side that may lack a delete does not know of horizons") { coverage in
      try meetAfterDelete(coverage, .none) { [pull(ofFirst: $0)] }
    },
    Scene("two sides may each lack what is gone at the other") { coverage in
      try meetAfterDelete(coverage, .all) { [pull(ofFirst: $0), .behind] }
    },
    Scene("a side that is to name all says that the other one is behind") { coverage in
      let beyond = Pull(position: [1], vector: VersionVector(), isBeyond: true)
      try meetAfterDelete(coverage, .all) { _ in [.pull(beyond), .behind] }
    },
    Scene("a side says twice that the other one is behind") { coverage in
      let pull = Pull(position: [], vector: VersionVector())
      try meetAfterDelete(coverage, .all) { _ in [.pull(pull), .behind, .behind] }
    },
  ]

  /// A pull that names one change of a site.
  private static func pull(ofFirst site: Site) -> Message {
    var vector = VersionVector()
    vector.raise(site, to: 1)
    return .pull(Pull(position: [], vector: vector))
  }

  /// Has somebody come who takes these messages, and says some, where a delete is gone already.
  private static func meetAfterDelete(
    _ coverage: WorldCoverage, _ features: Features, _ messages: (_ host: Site) -> [Message]
  ) throws {
    let world = Scene.world(coverage, raisesHorizon: true)
    defer { world.remove() }
    let host = try world.makeReplica("host")
    // Of two that nobody dials neither is everybody's server.
    try world.makeReplica("other")
    try host.write("old", in: world)
    try host.store.raiseHorizon(of: world.space, to: host.store.arrival(of: world.space))
    let stranger = Stranger(at: host)
    stranger.arrive()
    stranger.say([.features(features), stranger.hello()])
    for message in messages(host.store.site) {
      world.run(for: .milliseconds(20))
      stranger.say([message])
    }
    world.run(for: .milliseconds(50))
    stranger.leave()
  }

  private static let pushes = [
    Scene("a push ends in a number of no site") { coverage in
      let raised = [PushEnd.Raised(site: .known(99), seq: 1)]
      try Encounter(.live, coverage).say(
        .pushEnd(PushEnd(cursor: 3, position: [], raised: raised)))
    },
    Scene("a guest refuses changes") { coverage in
      try Encounter(.live, as: .add, coverage).say(.refused([]))
    },
    Scene("a viewer sends more than it may") { coverage in
      let encounter = try Encounter(.live, as: .view, coverage)
      for number in UInt64(1)...3 { encounter.say(large(number)) }
      encounter.pass(seconds: 60)
    },
    Scene("a push has more than one part") { coverage in
      let encounter = try Encounter(.greeting, coverage)
      for _ in 0..<30 {
        try encounter.host.write(String(repeating: "x", count: 20_000), in: encounter.world)
      }
      encounter.say(encounter.stranger.hello(), encounter.stranger.pull())
      encounter.pass(seconds: 60)
    },
    Scene("the other side answers no push") { coverage in
      let encounter = try Encounter(.live, coverage)
      for _ in 0..<4_100 {
        try encounter.host.write("unanswered", in: encounter.world)
        encounter.world.run(for: .milliseconds(2))
      }
    },
    // The last: the negative control leaves it out.
    Scene("the other side speaks about another space") { coverage in
      let encounter = try Encounter(.greeting, coverage)
      encounter.say(encounter.stranger.hello(in: SpaceID(high: 9, low: 9)))
    },
  ]

  private static func large(_ seq: UInt64) -> Message {
    .changes([
      Change(
        entity: 1, record: RecordID(high: 1, low: seq),
        cell: Cell(
          field: 1, merge: .register, dot: Dot(site: Stranger.site, seq: seq),
          stamp: Stamp(rawValue: 9), value: .bytes([UInt8](repeating: 1, count: 400_000))))
    ])
  }
}
