import Foundation
import Reunion
import ReunionCommandLine
import ReunionCore

/// Puts the messages of a capture into words, one after the other: what a number of a site means, and which message
/// fragments make, depends on those before.
struct SpokenMessages {
  /// A message in words.
  struct Spoken {
    /// Its name in `docs/protocol.md` 1.2.
    let type: String
    /// What it says, in one line.
    let words: String
    /// What it holds, a line each.
    var lines: [String] = []
    /// Why it is no message, where it is none.
    var fault: String?
  }

  /// What one side of a link has said so far.
  private struct Side {
    var sites: [Site] = []
    var fragments: [UInt8] = []
  }

  private var sides: [String: Side] = [:]
  /// How many lines of what a message holds are told.
  let linesMax: Int

  init(linesMax: Int) { self.linesMax = linesMax }

  /// The words of the next message.
  mutating func next(_ frame: Capture.Frame) -> Spoken {
    let side = "\(frame.link) \(frame.way.rawValue)"
    do throws(WireError) {
      return spoken(try Message(decoding: frame.bytes), by: side)
    } catch {
      return Spoken(
        type: "malformed",
        words: "\(error.description) It begins with \(Self.hex(frame.bytes.prefix(16))).",
        fault: error.description)
    }
  }

  private func spoken(_ part: PackedPart) -> Spoken {
    Spoken(
      type: "part",
      words: "brings a part of a block: \(part.byteCount.counted("byte")), deflated to"
        + " \(part.bytes.count)")
  }

  private mutating func spoken(_ message: Message, by side: String) -> Spoken {
    switch message {
    case .nameAll:
      return Spoken(
        type: "nameAll",
        words: "does not know what the pull is beyond, and asks for all that is held")
    case .horizon, .behind, .whole, .reached: return spokenOfHorizons(message)
    case .presence, .standing, .audit: return spokenAside(message)
    case .part(let part): return spoken(part)
    case .features(let features):
      let types = features.types.map(String.init).joined(separator: ", ")
      return Spoken(type: "features", words: "takes messages of the types \(types) as well")
    case .hello(let hello):
      sides[side] = Side()
      let kind = hello.isLeaf ? "leaf" : "full replica"
      return Spoken(
        type: "hello",
        words: "\(Self.name(hello.site)) speaks about space \(hello.space), as a \(kind)"
          + " with \(Int(clamping: hello.seq).counted("change")) of its own")
    case .pull(let pull):
      sides[side, default: Side()].sites += pull.vector.entries.map(\.site)
      let from =
        pull.position.isEmpty ? "nothing of the other side" : "position \(Self.hex(pull.position))"
      return Spoken(
        type: pull.isBeyond ? "pullBeyond" : "pull",
        words: "holds \(from), and something of \(pull.vector.entries.count.counted("site"))"
          + (pull.isWhole ? "" : "; more sites follow"),
        lines: told(pull.vector.entries.map { "\(Self.name($0.site)) up to \($0.seq)" }))
    case .changes(let changes):
      let records = Set(changes.map { "\($0.entity) \($0.record)" }).count
      return Spoken(
        type: "changes",
        words: "\(changes.count.counted("cell")) of \(records.counted("record"))",
        lines: told(changes.map(Self.words)))
    case .pushEnd(let end): return spoken(end, by: side)
    case .acknowledge(let cursor):
      return Spoken(type: "acknowledge", words: "has the push that ended at \(cursor) on its disk")
    case .refused(let refusals):
      return Spoken(
        type: "refused", words: "refuses changes of \(refusals.count.counted("record"))",
        lines: told(refusals.map(Self.words)))
    case .ping(let number):
      return Spoken(type: "ping", words: "is the other side there? (\(number))")
    case .pong(let number): return Spoken(type: "pong", words: "is there (\(number))")
    case .want(let hash, let offset):
      return Spoken(type: "want", words: "wants blob \(hash) from byte \(offset) on")
    case .blob(let piece):
      let part =
        "\(piece.bytes.count.counted("byte")) from \(piece.offset) on, of \(piece.byteCount)"
      return Spoken(type: "blob", words: "\(part) of blob \(piece.hash)")
    case .lack(let hash): return Spoken(type: "lack", words: "has no blob \(hash)")
    case .have(let hashes):
      return Spoken(
        type: "have", words: "\(hashes.count.counted("blob")) arrived there",
        lines: told(hashes.map(\.description)))
    case .bye(let bye):
      return Spoken(
        type: "bye", words: "ends the session: \(Self.reason(bye.code)). \(Self.text(bye.sentence))"
      )
    case .later(let later):
      return Spoken(
        type: "later",
        words: "come back after \(later.milliseconds) ms. \(Self.text(later.sentence))")
    case .fragment(let isLast, let part): return fragment(part, isLast: isLast, by: side)
    case .unknown(let type):
      return Spoken(
        type: "unknown", words: "of type \(type), which this program does not know: it is skipped")
    }
  }

  /// A message of which the conversation makes nothing.
  private func spokenAside(_ message: Message) -> Spoken {
    switch message {
    case .presence(let update): return spoken(update)
    case .standing(let update): return spoken(update)
    case .audit(let step): return spoken(step)
    default: return Spoken(type: "unknown", words: "")
    }
  }

  private func spoken(_ step: AuditStep) -> Spoken {
    guard step.kind != .busy else {
      return Spoken(type: "audit", words: "answers audits of enough others already")
    }
    let lines = step.parts.map { part in
      switch part {
      case .sum(let range, let sum):
        "records \(Self.words(range)): \(Int(clamping: sum.count)), in sum \(Self.hex(sum.bytes))"
      case .records(let range, let records):
        "records \(Self.words(range)): these \(records.count)"
      case .differing(let names):
        "differ: " + names.map { "\($0.record) of entity \($0.entity)" }.joined(separator: ", ")
      }
    }
    let words =
      step.kind == .whole
      ? "brings records whole, since an audit found them to differ"
      : step.parts.isEmpty
        ? "sees no difference" : "compares what both hold, in \(step.parts.count.counted("part"))"
    return Spoken(type: "audit", words: words, lines: told(lines))
  }

  private static func words(_ range: RecordRange) -> String {
    "from \(range.from)" + (range.to.map { " to below \($0)" } ?? " on")
  }

  /// A message about deletes that are gone.
  private func spokenOfHorizons(_ message: Message) -> Spoken {
    switch message {
    case .horizon(let arrival):
      return Spoken(
        type: "horizon", words: "let go what was deleted there up to its arrival \(arrival)")
    case .behind:
      return Spoken(
        type: "behind",
        words: "let go deletes that the other side may lack: it is to take all anew")
    case .whole(let names):
      return Spoken(
        type: "whole", words: "brings \(names.count.counted("record")) whole, back after a delete",
        lines: told(names.map { "entity \($0.entity), record \($0.record)" }))
    case .reached(let reached):
      return Spoken(
        type: "reached", words: "holds all that stood at \(reached.count.counted("store"))",
        lines: told(reached.map { "\(Self.name($0.site)) at its arrival \($0.arrival)" }))
    default: return Spoken(type: "unknown", words: "")
    }
  }

  private mutating func spoken(_ end: PushEnd, by side: String) -> Spoken {
    var lines: [String] = []
    for entry in end.raised {
      switch entry.site {
      case .new(let site):
        sides[side, default: Side()].sites.append(site)
        lines.append("\(Self.name(site)) up to \(entry.seq), for the first time")
      case .known(let number):
        let sites = sides[side]?.sites ?? []
        let site =
          sites.indices.contains(Int(number))
          ? Self.name(sites[Int(number)]) : "its site number \(number)"
        lines.append("\(site) up to \(entry.seq)")
      }
    }
    return Spoken(
      type: "pushEnd",
      words: "the push ends at \(end.cursor); its position is \(Self.hex(end.position))"
        + (lines.isEmpty ? "" : "; more is held of \(lines.count.counted("site"))"),
      lines: told(lines))
  }

  private mutating func fragment(_ part: [UInt8], isLast: Bool, by side: String) -> Spoken {
    sides[side, default: Side()].fragments += part
    let whole = sides[side, default: Side()].fragments
    let words = "\(part.count.counted("byte")) of a message, \(whole.count) so far"
    guard isLast || whole.count > Message.bytesMax else {
      return Spoken(type: "fragment", words: words)
    }
    sides[side]?.fragments = []
    do throws(WireError) {
      let message = try Message(decoding: whole)
      if case .fragment = message { throw WireError(.malformed, "A fragment holds a fragment.") }
      let inner = spoken(message, by: side)
      return Spoken(
        type: inner.type, words: "\(inner.words) (\(whole.count) bytes in fragments)",
        lines: inner.lines,
        fault: inner.fault)
    } catch {
      return Spoken(
        type: "malformed", words: "\(words). \(error.description)", fault: error.description)
    }
  }

  private func told(_ lines: [String]) -> [String] {
    guard lines.count > linesMax else { return lines }
    return lines.prefix(linesMax) + ["… and \(lines.count - linesMax) more; --all shows them"]
  }

  // The words of parts.

  private static func words(_ change: Change) -> String {
    let cell = change.cell
    let field = cell.field == Cell.existence ? "" : ", field \(cell.field)"
    return
      "entity \(change.entity), record \(change.record)\(field): \(merge(cell.merge)) \(value(cell))"
      + " by \(name(cell.dot.site)), its change \(cell.dot.seq), at \(time(cell.stamp))"
      + (cell.replaced == .none ? "" : ", over that of \(time(cell.replaced))")
  }

  private static func words(_ refusal: Refusal) -> String {
    let sentence = refusal.sentence.isEmpty ? "" : ": \(text(refusal.sentence))"
    return "entity \(refusal.entity), record \(refusal.record)\(sentence)"
  }

  private func spoken(_ update: PresenceUpdate) -> Spoken {
    let count = update.entries.count
    return Spoken(
      type: "presence",
      words: update.isWhole
        ? "shows this and nothing else: \(count.counted("value"))"
        : "shows \(count.counted("change"))",
      lines: told(update.entries.map(Self.words)))
  }

  private func spoken(_ update: StandingUpdate) -> Spoken {
    let own =
      "has push \(update.acknowledged), and the other side's own up to its arrival \(update.arrival)"
    return Spoken(
      type: "standing",
      words: own + "; tells of \(update.replicas.count.counted("replica"))",
      lines: told(update.replicas.map(Self.words)))
  }

  private static func words(_ replica: ReplicaStanding) -> String {
    let device = Site(device: replica.device, incarnation: 0).description.prefix(16)
    let who = replica.device == 0 ? "itself" : "device \(device)"
    let silence = replica.silentSeconds.map { ", heard \(Int(clamping: $0).counted("second")) ago" }
    return "\(who): everything up to \(replica.changes), blobs up to \(replica.blobs)"
      + ", \(replica.missing.count.counted("blob")) missing" + (silence ?? "")
  }

  private static func words(_ entry: PresenceEntry) -> String {
    let device = Site(device: entry.device, incarnation: 0).description.prefix(16)
    let who = entry.device == 0 ? "" : " by device \(device)"
    let what = entry.isMessage ? ", once" : ""
    return "\(text(entry.key))\(who)\(what): \(short(entry.value.description))"
  }

  private static func merge(_ kind: MergeKind) -> String {
    switch kind {
    case .creation: "creation"
    case .deletion: "deletion"
    case .register: "register"
    case .annotation: "annotation"
    case .tally: "tally"
    case .member: "member"
    case .memberRemoval: "removal of a member"
    case .item: "item"
    case .place: "place of an item"
    case .itemRemoval: "removal of an item"
    default: "merge kind \(kind.rawValue)"
    }
  }

  private static func value(_ cell: Cell) -> String {
    if let seen = cell.seen { return "that saw \(seen.entries.count.counted("site"))" }
    return short(cell.value.description)
  }

  private static func reason(_ code: Bye.Code) -> String {
    switch code {
    case .goingAway: "it goes away and will be back"
    case .protocolError: "protocol error"
    case .notAllowed: "not allowed"
    case .renewed: "a store went back to an earlier state"
    case .storageFailed: "its disk fails or is full"
    default: "code \(code.rawValue)"
    }
  }

  private static func name(_ site: Site) -> String { "site \(site)" }

  private static func time(_ stamp: Stamp) -> String {
    Date(timeIntervalSince1970: Double(stamp.milliseconds) / 1000).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Text of somebody else's, on one line and without what a terminal obeys.
  private static func text(_ bytes: [UInt8]) -> String {
    short(String(decoding: bytes, as: UTF8.self))
  }

  private static func short(_ text: String) -> String {
    text.count > 200 ? "\(String(text.prefix(200)).onOneLine)…" : text.onOneLine
  }

  private static func hex(_ bytes: some Collection<UInt8>) -> String {
    bytes.isEmpty ? "none" : Hexadecimal.text(bytes)
  }
}
