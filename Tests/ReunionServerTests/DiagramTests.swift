import Foundation
import Reunion
import ReunionFlow
import Testing

@testable import ReunionServer

/// The diagrams in docs/machines.md show the machines as they are.
///
/// `REUNION_WRITE_DIAGRAMS=1 swift test --filter DiagramTests` draws them anew.
@Suite struct DiagramTests {
  static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/machines.md")

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
    var stranger = hello
    stranger.space = SpaceID(high: 2, low: 2)
    let pull = Pull(cursor: 0, vector: VersionVector())
    let end = PushEnd(cursor: 0, vector: VersionVector())
    return [
      .opened(hello), .received(.hello(hello)), .received(.hello(stranger)),
      .compared(pull, peerIsForked: false), .compared(pull, peerIsForked: true),
      .received(.pull(pull)), .committed, .pushed(end, isEmpty: true), .received(.changes([])),
      .received(.pushEnd(end)), .applied(end, refused: []), .received(.acknowledge(cursor: 0)),
      .received(.ping(1)), .received(.pong(1)), .beat,
      .received(.bye(Bye(code: .goingAway, sentence: []))), .stop(""), .violated(""),
      .storeFailed(""), .linkClosed(nil),
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
        Issue.record("docs/machines.md has no place for \(diagram.name)")
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
      "docs/machines.md is stale: REUNION_WRITE_DIAGRAMS=1 swift test --filter DiagramTests")
  }

  @Test func `a stale page is found (negative control)`() throws {
    let page = Self.drawn(try String(contentsOf: Self.page, encoding: .utf8))
    let stale = page.replacingOccurrences(
      of: "online --> waiting: lost", with: "online --> idle: lost")
    #expect(stale != page)
    #expect(Self.drawn(stale) != stale)
  }
}
