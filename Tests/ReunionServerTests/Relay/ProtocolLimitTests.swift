import Foundation
import Testing

@testable import ReunionCore
@testable import ReunionServer
@testable import ReunionStore
@testable import ReunionSync

/// The table of limits is what the code does (docs/protocol.md 5.1).
@Suite struct ProtocolLimitTests {
  /// A limit of the page, by its name in the code.
  private static func told(_ page: String) -> [String: UInt64] {
    let section = page.components(separatedBy: "\n## 5. Limits\n").last ?? ""
    var limits: [String: UInt64] = [:]
    for line in section.split(separator: "\n") where line.hasPrefix("| ") {
      let parts = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 4, parts[3].hasPrefix("`") else { continue }
      let digits = parts[1].prefix { $0.isNumber || $0 == "," }.filter(\.isNumber)
      limits[parts[3].filter { $0 != "`" }] = UInt64(digits)
    }
    return limits
  }

  private static let meant: [String: UInt64] = [
    "Message.bytesMax": UInt64(Message.bytesMax),
    "Message.bytesSoftMax": UInt64(Message.bytesSoftMax),
    "Message.wholeBytesMax": UInt64(Message.wholeBytesMax),
    "Pull.positionBytesMax": UInt64(Pull.positionBytesMax),
    "Conversation.pullSitesMax": UInt64(Conversation.pullSitesMax),
    "Message.wholeMax": UInt64(Message.wholeMax),
    "Session.wholeNamesMax": UInt64(Session.wholeNamesMax),
    "AuditStep.partsMax": UInt64(AuditStep.partsMax),
    "AuditStep.recordsMax": UInt64(AuditStep.recordsMax),
    "Audits.hourlySteps": UInt64(Audits.hourlySteps),
    "Audits.atOnceMax": UInt64(Audits.atOnceMax),
    "Conversation.sitesMax": UInt64(Conversation.sitesMax),
    "Dot.seqMax": Dot.seqMax,
    "Cell.fieldMax": UInt64(Cell.fieldMax),
    "Value.bytesMax": UInt64(Value.bytesMax),
    "BlobPiece.bytesMax": UInt64(BlobPiece.bytesMax),
    "BlockPart.recordsMax": UInt64(BlockPart.recordsMax),
    "BlockPart.cellsMax": UInt64(BlockPart.cellsMax),
    "BlockPart.bytesMax": UInt64(BlockPart.bytesMax),
    "PackedPart.bytesMax": UInt64(PackedPart.bytesMax),
    "Bye.sentenceBytesMax": UInt64(Bye.sentenceBytesMax),
    "Terms.unansweredMax": UInt64(Conversation.Terms().unansweredMax),
    "Session.guestPushBytesMax": Session.guestPushBytesMax,
    "Session.viewerPushBytesMax": Session.viewerPushBytesMax,
    "Conversation.patienceSeconds": UInt64(
      Conversation.patienceSeconds(
        .greeting(
          ours: Hello(
            space: SpaceID(high: 1, low: 1), site: Site(device: 1, incarnation: 1), isLeaf: false,
            seq: 0), Conversation.Terms()))),
    // A beat is five seconds.
    "Conversation.beatsUntilClose": UInt64(Conversation.beatsUntilClose * 5),
    "Later.millisecondsMax": Later.millisecondsMax,
    "HybridClock.aheadMillisecondsMax": HybridClock.aheadMillisecondsMax,
    "BlobWishes.countMax": UInt64(BlobWishes.countMax),
    "StandingUpdate.replicasMax": UInt64(StandingUpdate.replicasMax),
    "StandingUpdate.missingMax": UInt64(StandingUpdate.missingMax),
    "PresenceEntry.keyBytesMax": UInt64(PresenceEntry.keyBytesMax),
    "PresenceEntry.valueBytesMax": UInt64(PresenceEntry.valueBytesMax),
    "PresenceUpdate.entriesMax": UInt64(PresenceUpdate.entriesMax),
    "PresenceEntry.keysMax": UInt64(PresenceEntry.keysMax),
    "PresenceRoom.entriesASecond": UInt64(PresenceRoom<Int>.entriesASecond),
    "Admission.sitesOfDeviceMax": UInt64(Admission.sitesOfDeviceMax),
    "RefusalLedger.countMax": UInt64(RefusalLedger.countMax),
    "Relay.sessionsMax": UInt64(Relay.sessionsMax),
    "HTTPRequestReader.requestLineBytesMax": UInt64(HTTPRequestReader.requestLineBytesMax),
    "HTTPRequestReader.headBytesMax": UInt64(HTTPRequestReader.headBytesMax),
    "HTTPRequestReader.fieldsMax": UInt64(HTTPRequestReader.fieldsMax),
    "UploadFolder.perDeviceMax": UInt64(UploadFolder.perDeviceMax),
    "UploadFolder.secondsMax": UInt64(UploadFolder.secondsMax),
    "Persons.devicesMax": UInt64(Persons.devicesMax),
    "Persons.spacesMax": UInt64(Persons.spacesMax),
  ]

  @Test func `each limit of the page is the one in the code`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/protocol.md")
    #expect(Self.told(try String(contentsOf: page, encoding: .utf8)) == Self.meant)
  }

  @Test func `a number that differs is seen (negative control)`() {
    let page =
      "\n## 5. Limits\n| a message | 1,048,577 bytes | protocol error | `Message.bytesMax` |\n"
    #expect(Self.told(page) == ["Message.bytesMax": 1_048_577])
    #expect(Self.told(page)["Message.bytesMax"] != Self.meant["Message.bytesMax"])
  }
}
