/// A conversation as a page leads it: an event's bytes in, the bytes of its effects out.
///
/// The page keeps sockets, storage and timers; everything that a session decides or remembers is
/// here, its messages and their fragments included. Of a leaf there are no refusals to read, and
/// vectors that it is asked to look up are cut to its own device.
///
/// An event is its number and what ``ConversationEvent`` says of it; effects likewise, one after another.
///
/// Of `stage` the records are not merged, and their byte for "alive" says nothing. Positions, sentences
/// and bytes have their length, u32, before them.
package struct FlatConversation {
  private var state = Conversation.State.idle
  private var fragments: [UInt8] = []
  /// The leaf's device, whose changes alone are sent; nil for a full replica.
  private var leaf: UInt64?
  /// What the leaf has told of its sites.
  private var told = VersionVector()
  /// Beats that a greeting has lasted.
  private var waitedBeats = 0
  private var out = ByteWriter()

  /// Makes one whose link is not open yet.
  package init() {}

  /// Leads the conversation on.
  ///
  /// - Throws: `WireError` for an event that is not in its form; what the other side sends ends the
  ///   conversation instead.
  package mutating func perform(_ input: [UInt8]) throws(WireError) -> [UInt8] {
    out = ByteWriter()
    var reader = ByteReader(input, from: 1)
    switch input.first.flatMap(ConversationEvent.init) {
    case .opened: offer(try opened(&reader))
    case .received: receive(Array(input.dropFirst()))
    case .lookedUp:
      offer(try lookedUp(&reader))
    case .resumed: offer(try resumed(&reader))
    case .committed: offer(.committed)
    case .windowRead: offer(try windowRead(&reader))
    case .applied: offer(.applied(cursor: try reader.integer(UInt64.self), refusedCount: 0))
    case .foundForked: offer(.foundForked)
    case .renewed:
      if case .renewing = state {
        offer(.renewed)
      } else {
        offer(.stop(.renewed, Conversation.sentence(Conversation.renewedSentence)))
      }
    case .storeFailed: offer(.storeFailed(try reader.flatBytes(upTo: Message.bytesMax)))
    case .beat: beat()
    case .probed:
      if case .live(var live) = state {
        live.silence.beats = Conversation.beatsUntilPing - 1
        state = .live(live)
      }
      offer(.beat)
    case .stop:
      let code = Bye.Code(rawValue: try reader.integer(UInt16.self))
      offer(.stop(code, try reader.flatBytes(upTo: Message.bytesMax)))
    case .part: stage(try BlockPart(decoding: Array(input.dropFirst())))
    case nil: throw .malformed("There is no such event.")
    }
    return out.bytes
  }

  private mutating func opened(
    _ reader: inout ByteReader
  ) throws(WireError) -> Conversation.Event {
    let hello = Hello(
      space: try reader.identifier(SpaceID.self), site: try reader.identifier(Site.self),
      isLeaf: try reader.flag(), seq: try reader.integer(UInt64.self))
    leaf = hello.isLeaf ? hello.site.device : nil
    // A page knows what it holds beyond a position where it is a leaf, and only there. Blocks it fetches, and what comes
    // whole it tells by itself: to a leaf everything does that came back.
    let features: Features = hello.isLeaf ? .all.withoutParts.ofLeaf : .none
    return .opened(hello, Conversation.Terms(features: features))
  }

  /// What a leaf holds beyond the server's position is what its own device wrote.
  private func lookedUp(_ reader: inout ByteReader) throws(WireError) -> Conversation.Event {
    let position = try reader.flatBytes(upTo: Pull.positionBytesMax)
    let vector = try reader.flatVector()
    guard let leaf, !position.isEmpty, case .comparing(let meeting) = state,
      meeting.namesBeyond, vector[meeting.peer.site] <= meeting.peer.seq
    else { return .lookedUp(position: position, vector: vector) }
    return .lookedUp(position: position, vector: vector.ofDevice(leaf), isBeyond: true)
  }

  private func resumed(_ reader: inout ByteReader) throws(WireError) -> Conversation.Event {
    let isRolledBack = try reader.flag()
    let cursor = try reader.integer(UInt64.self)
    let ownSeq = try reader.integer(UInt64.self)
    return .resumed(
      isRolledBack
        ? .rolledBack(ownSeq: ownSeq)
        : .at(cursor: cursor, ownSeq: ownSeq == .max ? nil : ownSeq),
      seq: try reader.integer(UInt64.self))
  }

  private mutating func windowRead(
    _ reader: inout ByteReader
  ) throws(WireError) -> Conversation.Event {
    let changes = try reader.flatChanges()
    let cursor = try reader.integer(UInt64.self)
    guard try reader.flag() else { return .windowRead(changes, cursor: cursor, end: nil) }
    let position = try reader.flatBytes(upTo: Pull.positionBytesMax)
    // A page names all of its sites each time.
    let raised = try reader.flatVector().entries.filter { !told.covers($0) }
    for dot in raised { told.raise(dot.site, to: dot.seq) }
    let end = Conversation.WindowEnd(cursor: cursor, position: position, raised: raised)
    return .windowRead(changes, cursor: cursor, end: end)
  }

  private mutating func receive(_ bytes: [UInt8]) {
    do throws(WireError) {
      var message = try Message(decoding: bytes)
      if case .fragment(let isLast, let part) = message {
        fragments += part
        guard isLast || fragments.count > Message.bytesMax else {
          if case .live = state { offer(.received(message)) }
          return
        }
        message = try Message(decoding: fragments)
        fragments = []
        if case .fragment = message { throw .malformed("A fragment holds a fragment.") }
      }
      offer(.received(message))
    } catch {
      offer(.violated(Conversation.sentence(error.reason)))
    }
  }

  private mutating func beat() {
    waitedBeats = Conversation.patienceSeconds(state) > 0 ? waitedBeats + 1 : 0
    offer(waitedBeats * 5 > 15 ? .greetingExpired : .beat)
  }

  private mutating func offer(_ event: Conversation.Event) {
    guard let effects = Conversation.advance(&state, by: event) else {
      if case .received = event {
        offer(.violated(Conversation.sentence("A message came out of turn.")))
      }
      return
    }
    for effect in effects { write(effect) }
  }

  /// The records of a block are whole, and merged already.
  private mutating func stage(_ part: BlockPart) {
    begin(.stage)
    out.integer(part.latestStamp.rawValue)
    out.integer(UInt32(part.records.count))
    for record in part.records {
      out.integer(record.entity)
      out.identifier(record.id)
      out.byte(record.state.isAlive ? 1 : 0)
      out.flatCells(record.state.cells)
    }
    out.flatRefusals([])
  }

  private mutating func begin(_ effect: ConversationEffect) { out.byte(effect.rawValue) }

  private mutating func write(_ effect: Conversation.Effect) {
    switch effect {
    case .send(let message):
      for part in message.encodedParts() {
        begin(.send)
        out.flatBytes(part)
      }
    case .lookUp(let peer, _):
      told = VersionVector()
      begin(.lookUp)
      out.identifier(peer.site)
    case .resume(let position, _, _):
      begin(.resume)
      out.flatBytes(position)
    case .readRefusals: offer(.refusalsRead([], standing: [], upTo: nil))
    case .readWindow(let reading):
      begin(.readWindow)
      out.integer(reading.after)
      out.integer(reading.vectorAfter)
      out.integer(reading.ownSeq ?? .max)
      var held = reading.held
      held.merge(told)
      out.flatVector(leaf.map(held.ofDevice) ?? held)
    case .stage(let changes, let refusals):
      begin(.stage)
      out.flatGroups(changes)
      out.flatRefusals(refusals)
    case .apply(let arrival):
      begin(.apply)
      out.integer(arrival.cursor)
      out.flatBytes(arrival.position)
      out.flatVector(arrival.raised)
    case .acknowledged(let raised):
      begin(.acknowledged)
      out.flatEntries(raised)
    case .renew(let ownSeq):
      begin(.renew)
      out.integer(ownSeq ?? .max)
    case .blob(.have(let hashes)):
      begin(.have)
      out.integer(UInt32(hashes.count))
      for hash in hashes { out.bytes(hash.bytes) }
    case .blob, .stagePart: break
    case .takeAnew: begin(.takeAnew)
    case .later(let later):
      begin(.later)
      out.integer(later.milliseconds)
    case .close:
      guard case .closed(let ending) = state else { return }
      begin(.close)
      out.integer(ending.code?.rawValue ?? 0)
      out.byte(ending.isTheirs ? 1 : 0)
      out.flatBytes(ending.sentence)
    }
  }
}
