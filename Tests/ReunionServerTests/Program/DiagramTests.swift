import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionServer

/// The diagrams in the guide machines.md show the machines as they are.
///
/// `REUNION_WRITE_DIAGRAMS=1 swift test --filter DiagramTests` draws them anew.
@Suite struct DiagramTests {
  static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/ReunionFlow/ReunionFlow.docc/machines.md")

  static let diagrams: [(name: String, mermaid: String)] = [
    ("Reconnection", ReconnectionTests.model.mermaid),
    ("Conversation", MachineModel<Conversation>(start: .idle, events: conversationEvents).mermaid),
    ("UploadLife", UploadLifeTests.model.mermaid),
  ]

  /// The events of a conversation that change its state, and no more of those that keep it live than
  /// a reader can bear.
  static let conversationEvents: [Conversation.Event] = {
    let site = Site(device: 1, incarnation: 1)
    let hello = Hello(space: SpaceID(high: 1, low: 1), site: site, isLeaf: false, seq: 0)
    let peer = Hello(
      space: hello.space, site: Site(device: 2, incarnation: 1), isLeaf: false, seq: 0)
    var stranger = peer
    stranger.space = SpaceID(high: 2, low: 2)
    let end = PushEnd(cursor: 0, position: [], raised: [])
    let stop = Conversation.Event.stop(.goingAway, [])
    let last = Conversation.WindowEnd(cursor: 0, position: [], raised: [])
    return [
      .opened(hello, Conversation.Terms()), .received(.hello(peer)), .received(.hello(stranger)),
      .lookedUp(position: [], vector: VersionVector()),
      .received(.pull(Pull(position: [], vector: VersionVector()))),
      .resumed(.at(cursor: 0, ownSeq: nil), seq: 0), .resumed(.rolledBack(ownSeq: 0), seq: 0),
      .committed, .refusalsRead([], standing: [], upTo: nil),
      .windowRead([], cursor: 0, end: last), .received(.changes([])), .received(.pushEnd(end)),
      .applied(cursor: 0, refusedCount: 0), .received(.acknowledge(cursor: 0)), .foundForked,
      .renewed, .received(.ping(1)), .received(.pong(1)), .beat,
      .received(.bye(Bye(code: .goingAway, sentence: []))), stop, .violated([]),
      .storeFailed([]), .linkClosed([]),
    ]
  }()

  /// The page with the diagram of each machine, between its marks, replaced.
  static func drawn(_ page: String) -> String {
    var page = page
    for diagram in diagrams {
      let mark = "<!-- machine: \(diagram.name) -->\n"
      guard let start = page.range(of: mark)?.upperBound,
        let end = page.range(of: "<!-- end -->", range: start..<page.endIndex)?.lowerBound
      else {
        Issue.record("machines.md has no place for \(diagram.name)")
        continue
      }
      page.replaceSubrange(start..<end, with: "```mermaid\n\(diagram.mermaid)```\n")
    }
    return page
  }

  @Test func `the page shows every machine as it is`() throws {
    let page = try String(contentsOf: Self.page, encoding: .utf8)
    let drawn = Self.drawn(page)
    if ProcessInfo.processInfo.environment["REUNION_WRITE_DIAGRAMS"] != nil {
      try drawn.write(to: Self.page, atomically: true, encoding: .utf8)
      return
    }
    #expect(
      page == drawn,
      "machines.md is stale: REUNION_WRITE_DIAGRAMS=1 swift test --filter DiagramTests")
  }

  @Test func `a stale page is found (negative control)`() throws {
    let page = Self.drawn(try String(contentsOf: Self.page, encoding: .utf8))
    let stale = page.replacingOccurrences(
      of: "online --> waiting: lost", with: "online --> idle: lost")
    #expect(stale != page)
    #expect(Self.drawn(stale) != stale)
  }
}
