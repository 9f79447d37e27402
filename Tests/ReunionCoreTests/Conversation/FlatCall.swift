@testable import ReunionCore

/// An event of a page, in the form that `FlatConversation` says that it takes; its bytes are written
/// here by that description alone.
enum FlatCall {
  case opened(Hello)
  case received([UInt8])
  case lookedUp(position: [UInt8], vector: VersionVector)
  case resumed(Conversation.Resumption, seq: UInt64)
  case committed
  case windowRead([Change], cursor: UInt64, end: Conversation.WindowEnd?)
  case applied(cursor: UInt64)
  case foundForked
  case renewed
  case storeFailed([UInt8])
  case beat
  case probed
  case stop(Bye.Code, [UInt8])

  /// The number of its type.
  var type: UInt8 {
    switch self {
    case .opened: 1
    case .received: 2
    case .lookedUp: 3
    case .resumed: 4
    case .committed: 5
    case .windowRead: 6
    case .applied: 7
    case .foundForked: 8
    case .renewed: 9
    case .storeFailed: 10
    case .beat: 11
    case .probed: 12
    case .stop: 13
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.byte(type)
    switch self {
    case .opened(let hello):
      writer.identifier(hello.space)
      writer.identifier(hello.site)
      writer.byte(hello.isLeaf ? 1 : 0)
      writer.integer(hello.seq)
    case .received(let bytes): writer.bytes(bytes)
    case .lookedUp(let position, let vector):
      writer.sized(position)
      writer.entries(vector.entries)
    case .resumed(.rolledBack(let ownSeq), let seq):
      writer.bytes([1])
      for number in [0, ownSeq, seq] { writer.integer(number) }
    case .resumed(.at(let cursor, let ownSeq), let seq):
      writer.bytes([0])
      for number in [cursor, ownSeq ?? .max, seq] { writer.integer(number) }
    case .windowRead(let changes, let cursor, let end):
      // A record may come several times.
      writer.groups(changes.map { [$0] })
      writer.integer(cursor)
      writer.byte(end == nil ? 0 : 1)
      guard let end else { break }
      writer.sized(end.position)
      writer.entries(end.raised)
    case .applied(let cursor): writer.integer(cursor)
    case .storeFailed(let sentence): writer.sized(sentence)
    case .stop(let code, let sentence):
      writer.integer(code.rawValue)
      writer.sized(sentence)
    // A page never says them.
    case .resumed(.incomparable, _), .resumed(.behind, _): break
    case .committed, .foundForked, .renewed, .beat, .probed: break
    }
    return writer.bytes
  }
}

/// What a page is told, in the form that `FlatConversation` says; written by that description alone.
struct FlatEffects {
  private(set) var types: [UInt8] = []
  private var writer = ByteWriter()
  var bytes: [UInt8] { writer.bytes }

  /// `told` is what the page has told of its sites.
  mutating func add(
    _ effect: Conversation.Effect, leaf: UInt64?, told: VersionVector, _ state: Conversation.State
  ) {
    switch effect {
    case .send(let message):
      begin(1)
      writer.sized(message.encoded())
    case .lookUp(let peer, _):
      begin(2)
      writer.identifier(peer.site)
    case .resume(let position, _, _):
      begin(3)
      writer.sized(position)
    case .readWindow(let reading):
      begin(4)
      for number in [reading.after, reading.vectorAfter, reading.ownSeq ?? .max] {
        writer.integer(number)
      }
      var held = reading.held
      held.merge(told)
      writer.entries(held.entries.filter { leaf == nil || $0.site.device == leaf })
    case .stage(let changes, let refusals):
      begin(5)
      writer.integer(changes.map(\.cell.stamp).max()?.rawValue ?? 0)
      var groups: [[Change]] = []
      for change in changes {
        if let last = groups.last?.last, last.record == change.record, last.entity == change.entity
        {
          groups[groups.count - 1].append(change)
        } else {
          groups.append([change])
        }
      }
      writer.groups(groups)
      writer.integer(UInt32(refusals.count))
      for refusal in refusals {
        writer.integer(refusal.entity)
        writer.identifier(refusal.record)
        writer.entries(refusal.sent.entries)
        writer.sized(refusal.sentence)
      }
    case .apply(let arrival):
      begin(6)
      writer.integer(arrival.cursor)
      writer.sized(arrival.position)
      writer.entries(arrival.raised.entries)
    case .acknowledged(let raised):
      begin(7)
      writer.entries(raised)
    case .renew(let ownSeq):
      begin(8)
      writer.integer(ownSeq ?? .max)
    case .blob(.have(let hashes)):
      begin(9)
      writer.integer(UInt32(hashes.count))
      for hash in hashes { writer.bytes(hash.bytes) }
    case .later(let later):
      begin(11)
      writer.integer(later.milliseconds)
    case .close:
      guard case .closed(let ending) = state else { return }
      begin(10)
      writer.integer(ending.code?.rawValue ?? 0)
      writer.byte(ending.isTheirs ? 1 : 0)
      writer.sized(ending.sentence)
    case .takeAnew: begin(12)
    case .blob, .stagePart, .readRefusals: break
    }
  }

  private mutating func begin(_ type: UInt8) {
    types.append(type)
    writer.byte(type)
  }
}

extension ByteWriter {
  fileprivate mutating func sized(_ values: [UInt8]) {
    integer(UInt32(values.count))
    bytes(values)
  }

  fileprivate mutating func entries(_ entries: [Dot]) {
    integer(UInt32(entries.count))
    for dot in entries {
      identifier(dot.site)
      integer(dot.seq)
    }
  }

  /// Records, of each its cells.
  fileprivate mutating func groups(_ groups: [[Change]]) {
    integer(UInt32(groups.count))
    for group in groups {
      integer(group[0].entity)
      identifier(group[0].record)
      byte(0)
      integer(UInt32(group.count))
      for cell in group.map(\.cell) {
        integer(cell.field)
        bytes([cell.merge.rawValue, cell.value.kind.rawValue])
        identifier(cell.dot.site)
        for number in [cell.dot.seq, cell.stamp.rawValue, cell.replaced.rawValue] {
          integer(number)
        }
        sized(cell.value.bytes)
      }
    }
  }
}
