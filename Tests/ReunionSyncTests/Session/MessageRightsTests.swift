import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionSync

/// Which roles may send what over a session: the table, the session that asks it, and the page that
/// shows it.
@Suite struct MessageRightsTests {
  private static let hash = BlobHash(of: [1])
  private static let site = HostileGuestTests.guest

  /// One message of each kind, after the greeting. The switch below names them all.
  private static let messages: [Message] = [
    .features(.all),
    .hello(Hello(space: SpaceID(high: 1, low: 1), site: site, isLeaf: true, seq: 0)),
    .pull(Pull(position: [], vector: VersionVector())), .changes([]),
    .pushEnd(PushEnd(cursor: 0, position: [], raised: [])), .acknowledge(cursor: 0),
    .refused([Refusal(entity: 1, record: RecordID(high: 1, low: 1), sent: VersionVector())]),
    .ping(1), .pong(1), .want(hash, offset: 0),
    .blob(BlobPiece(hash: hash, byteCount: 1, offset: 0, bytes: [1])), .lack(hash), .have([hash]),
    .bye(Bye(code: .goingAway, sentence: [])), .fragment(isLast: false, []),
    .later(Later(milliseconds: 1)), .nameAll, .presence(PresenceUpdate([])),
    .standing(StandingUpdate()), .part(PackedPart(byteCount: 1, bytes: [1])), .horizon(7), .behind,
    .whole([]), .reached([]), .audit(AuditStep(.busy)), .unknown(99),
  ]

  /// Its name in the guide. Without `default`, so that a new message has no row until it stands here.
  private static func name(of message: Message) -> String {
    switch message {
    case .features: "`features`"
    case .hello: "`hello`"
    case .pull: "`pull`"
    case .changes: "`changes`"
    case .pushEnd: "`pushEnd`"
    case .acknowledge: "`acknowledge`"
    case .refused: "`refused`"
    case .ping: "`ping`"
    case .pong: "`pong`"
    case .want: "`want`"
    case .blob: "`blob`"
    case .lack: "`lack`"
    case .have: "`have`"
    case .bye: "`bye`"
    case .fragment: "fragments"
    case .later: "`later`"
    case .nameAll: "`nameAll`"
    case .presence: "`presence`"
    case .standing: "`standing`"
    case .part: "`part`"
    case .horizon: "`horizon`"
    case .behind: "`behind`"
    case .whole: "`whole`"
    case .reached: "`reached`"
    case .audit: "`audit`"
    case .unknown: "unknown types"
    }
  }

  private static func configuration(_ authority: Authority, blobs: Bool) -> Session.Configuration {
    Session.Configuration(
      space: SpaceID(high: 1, low: 1), authority: authority, servesBlobs: blobs,
      fetchesBlobs: blobs)
  }

  @Test func `guests and viewers send no blobs and get none, and others may`() {
    for authority in [Authority.none, .own(device: 666)] {
      let untaken = Self.messages.filter {
        !Self.configuration(authority, blobs: false).takes($0)
      }
      #expect(untaken.map(Self.name) == ["`want`", "`blob`"])
    }
    #expect(Self.messages.allSatisfy(Self.configuration(.all, blobs: true).takes))
  }

  @Test func `an owner sends a server no block, which nobody would count`() throws {
    let stage = try HostileGuestTests.Stage(authority: .all)
    #expect(!stage.isClosed)
    stage.say(.part(PackedPart(byteCount: 1, bytes: [1])))
    #expect(stage.isClosed)
  }

  @Test func `a guest's refusal and blob end a session, and a wish is answered`()
    throws
  {
    for message in Self.messages
    where ["`refused`", "`blob`", "`part`"].contains(Self.name(of: message)) {
      let stage = try HostileGuestTests.Stage()
      #expect(!stage.isClosed)
      stage.say(message)
      #expect(stage.isClosed, "\(message)")
      #expect(stage.text == "the host's")
    }
    let stage = try HostileGuestTests.Stage()
    stage.say(.want(Self.hash, offset: 0))
    #expect(!stage.isClosed)
    #expect(stage.heard.withLock { $0 }.contains(.lack(Self.hash)))
  }

  @Test func `the guide has each message in its table`() throws {
    let guide = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/security.md")
    let rows = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n")
      .drop { $0 != "| message | taken from |" }.prefix { $0.hasPrefix("|") }
    for message in Self.messages {
      let name = Self.name(of: message)
      #expect(rows.count { $0.split(separator: "|")[0].contains(name) } == 1, "\(name)")
    }
  }
}
