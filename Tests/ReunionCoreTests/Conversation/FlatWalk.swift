@testable import ReunionCore

/// A random session of a page with a server: both are machines, and what they look up is drawn. The
/// page's is led twice, by flat calls and by the events that they stand for.
struct FlatWalk {
  var flat = FlatConversation()
  private(set) var wasLive = false
  private var random: Seeded
  private var state = Conversation.State.idle
  private var leaf: UInt64?
  private var told = VersionVector()
  private var fragments: [UInt8] = []
  private var waitedBeats = 0
  /// What the page was asked for and has not answered.
  private var asked: [FlatCall] = []
  /// What the server sent and the page has not received.
  private var coming: [[UInt8]] = []
  private var server = Conversation.State.idle
  private let ours: Hello

  init(seed: UInt64) {
    random = Seeded(seed)
    let space = SpaceID(high: 7, low: 7)
    let isLeaf = Int.random(in: 0..<4, using: &random) > 0
    ours = Hello(
      space: space, site: ann, isLeaf: isLeaf, seq: UInt64.random(in: 0...40, using: &random))
    let theirs = Hello(
      space: space, site: Int.random(in: 0..<30, using: &random) == 0 ? ann : ben, isLeaf: false,
      seq: UInt64.random(in: 0...40, using: &random))
    lead(.opened(theirs, Conversation.Terms(messageBytesSoftMax: 300)))
  }

  private mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func number() -> UInt64 { UInt64.random(in: 0...60, using: &random) }

  // MARK: What happens to the page

  /// What happens next: mostly what is due.
  mutating func draw() -> FlatCall {
    if case .idle = state, happens(95) { return .opened(ours) }
    guard happens(92) else { return drawOther() }
    if !asked.isEmpty, happens(60) { return asked.removeFirst() }
    if !coming.isEmpty { return .received(coming.removeFirst()) }
    if !asked.isEmpty { return asked.removeFirst() }
    if happens(50) { lead(.committed) }
    return [.committed, .committed, .beat].randomElement(using: &random) ?? .beat
  }

  private mutating func drawOther() -> FlatCall {
    switch Int.random(in: 0..<16, using: &random) {
    case 0: return .opened(ours)
    case 1: return lookedUp()
    case 2: return resumed()
    case 3: return windowRead()
    case 4: return .applied(cursor: number())
    case 5: return happens(20) ? .foundForked : .beat
    case 6: return happens(30) ? .renewed : .probed
    case 7: return happens(20) ? .storeFailed(Array("The disk is full.".utf8)) : .probed
    case 8: return happens(20) ? .stop(Bye.Code(rawValue: 3), Array("Out.".utf8)) : .committed
    case 9, 10: return .beat
    case 11: return .probed
    case 12:
      let hash = BlobHash(of: [UInt8(number())])
      return .received(Message.have([hash, hash]).encoded())
    case 13:
      let message = sampleMessages.randomElement(using: &random)?.message ?? .ping(1)
      return .received(happens(30) ? message.encoded() : Message.ping(3).encoded())
    case 14: return happens(20) ? .received(damaged(Message.ping(1).encoded())) : .committed
    default: return .received(Message.refused([refusal()]).encoded())
    }
  }

  /// Bytes that differ somewhere.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
    case 1: bytes.append(UInt8(number()))
    case 2 where !bytes.isEmpty:
      bytes[Int.random(in: 0..<bytes.count, using: &random)] =
        [0, 1, 127, 255][
          Int.random(in: 0..<4, using: &random)]
    default:
      let place = Int.random(in: 0...bytes.count, using: &random)
      bytes.replaceSubrange(place..<min(place + 4, bytes.count), with: [255, 255, 255, 255])
    }
    return bytes
  }

  // MARK: What is looked up

  private mutating func vector() -> VersionVector {
    var vector = VersionVector()
    for site in [ann, ben, cem] where happens(60) { vector.raise(site, to: number()) }
    return vector
  }

  private mutating func lookedUp() -> FlatCall {
    .lookedUp(position: happens(80) ? [UInt8(number())] : [], vector: vector())
  }

  private mutating func resumed() -> FlatCall {
    let seq = number()
    guard happens(95) else { return .resumed(.rolledBack(ownSeq: number()), seq: seq) }
    return .resumed(.at(cursor: number(), ownSeq: happens(50) ? nil : number()), seq: seq)
  }

  private mutating func changes() -> [Change] {
    (0..<Int.random(in: 0..<5, using: &random)).compactMap { _ in
      let change = Change(
        entity: UInt32.random(in: 1...2, using: &random),
        record: RecordID(high: 1, low: UInt64.random(in: 1...2, using: &random)),
        cell: randomCell(using: &random))
      let isGood = (try? Message(decoding: Message.changes([change]).encoded())) != nil
      return isGood ? change : nil
    }
  }

  private mutating func windowEnd() -> Conversation.WindowEnd? {
    let cursor = number()
    return happens(70)
      ? .init(cursor: cursor, position: [1, UInt8(cursor)], raised: vector().entries) : nil
  }

  private mutating func windowRead() -> FlatCall {
    let end = windowEnd()
    return .windowRead(changes(), cursor: end?.cursor ?? number(), end: end)
  }

  private mutating func refusal() -> Refusal {
    Refusal(
      entity: 1, record: photo, sent: vector(),
      sentence: happens(50) ? Array("A note has a hundred letters at most.".utf8) : [])
  }

  // MARK: What the page's call does, by the conversation itself

  /// The effects of a call; the server hears what is sent, and what is asked for is answered later.
  mutating func expected(of call: FlatCall) -> FlatEffects {
    var effects = FlatEffects()
    switch call {
    case .opened(let hello):
      leaf = hello.isLeaf ? hello.site.device : nil
      // A full replica in a page speaks as the first version did.
      offer(
        .opened(
          hello,
          Conversation.Terms(features: hello.isLeaf ? .all.withoutParts.ofLeaf : .none)),
        &effects)
    case .received(let bytes): receive(bytes, &effects)
    case .lookedUp(let position, let vector): offer(lookedUp(position, vector), &effects)
    case .resumed(let resumption, let seq): offer(.resumed(resumption, seq: seq), &effects)
    case .committed: offer(.committed, &effects)
    case .windowRead(let changes, let cursor, var end):
      // What it told before is no news.
      end?.raised.removeAll { told.covers($0) }
      for dot in end?.raised ?? [] { told.raise(dot.site, to: dot.seq) }
      offer(.windowRead(changes, cursor: cursor, end: end), &effects)
    case .applied(let cursor): offer(.applied(cursor: cursor, refusedCount: 0), &effects)
    case .foundForked: offer(.foundForked, &effects)
    case .renewed:
      // Asked to or not, it is over.
      if case .renewing = state {
        offer(.renewed, &effects)
      } else {
        offer(.stop(.renewed, Conversation.sentence(Conversation.renewedSentence)), &effects)
      }
    case .storeFailed(let sentence): offer(.storeFailed(sentence), &effects)
    case .beat:
      waitedBeats = Conversation.patienceSeconds(state) > 0 ? waitedBeats + 1 : 0
      // A greeting may last 15 s.
      offer(waitedBeats > 3 ? .greetingExpired : .beat, &effects)
    case .probed:
      if case .live(var live) = state {
        live.silence.beats = 1
        state = .live(live)
      }
      offer(.beat, &effects)
    case .stop(let code, let sentence): offer(.stop(code, sentence), &effects)
    }
    return effects
  }

  /// A leaf tells of its own device alone what it holds beyond the server's position, unless it was asked to
  /// name all, or holds more of the server's own than the server has.
  private func lookedUp(
    _ position: [UInt8], _ vector: VersionVector
  ) -> Conversation.Event {
    guard case .comparing(let meeting) = state, meeting.namesBeyond, let leaf,
      !position.isEmpty, vector[meeting.peer.site] <= meeting.peer.seq
    else { return .lookedUp(position: position, vector: vector) }
    var own = VersionVector()
    for dot in vector.entries where dot.site.device == leaf { own.raise(dot.site, to: dot.seq) }
    return .lookedUp(position: position, vector: own, isBeyond: true)
  }

  private mutating func receive(_ bytes: [UInt8], _ effects: inout FlatEffects) {
    do throws(WireError) {
      var message = try Message(decoding: bytes)
      if case .fragment(let isLast, let part) = message {
        fragments += part
        guard isLast else {
          if case .live = state { offer(.received(message), &effects) }
          return
        }
        message = try Message(decoding: fragments)
        fragments = []
        if case .fragment = message { throw .malformed("A fragment holds a fragment.") }
      }
      offer(.received(message), &effects)
    } catch {
      offer(.violated(Conversation.sentence(error.reason)), &effects)
    }
  }

  private mutating func offer(_ event: Conversation.Event, _ effects: inout FlatEffects) {
    guard let all = Conversation.advance(&state, by: event) else {
      if case .received = event {
        offer(.violated(Conversation.sentence("A message came out of turn.")), &effects)
      }
      return
    }
    if case .live = state { wasLive = true }
    for effect in all {
      effects.add(effect, leaf: leaf, told: told, state)
      switch effect {
      case .readRefusals: offer(.refusalsRead([], standing: [], upTo: nil), &effects)
      case .send(let message): lead(.received(message))
      case .lookUp:
        told = VersionVector()
        asked.append(lookedUp())
      case .resume: asked.append(resumed())
      case .readWindow: asked.append(windowRead())
      case .apply(let arrival): asked.append(.applied(cursor: arrival.cursor))
      case .renew: asked.append(.renewed)
      case .stage, .stagePart, .acknowledged, .blob, .later, .takeAnew, .close: break
      }
    }
  }

  // MARK: The server

  private mutating func lead(_ event: Conversation.Event) {
    for effect in Conversation.advance(&server, by: event) ?? [] {
      switch effect {
      case .send(let message): send(message)
      case .lookUp: lead(.lookedUp(position: [2], vector: vector()))
      case .resume(_, let told, let isBeyond):
        let isOld = !told.entries.isEmpty && happens(2)
        let isLost = isBeyond && happens(10)
        let place = Conversation.Resumption.at(cursor: number(), ownSeq: nil)
        lead(.resumed(isOld ? .behind : isLost ? .incomparable : place, seq: 60))
      case .readRefusals(let after):
        let isRefused = after == 0 && happens(20)
        lead(
          .refusalsRead(
            isRefused ? [refusal()] : [], standing: isRefused ? changes() : [],
            upTo: isRefused ? 1 : nil))
      case .readWindow:
        let end = windowEnd()
        lead(.windowRead(changes(), cursor: end?.cursor ?? number(), end: end))
      case .apply(let arrival): lead(.applied(cursor: arrival.cursor, refusedCount: 0))
      case .stage, .stagePart, .acknowledged, .renew, .blob, .later, .takeAnew, .close: break
      }
    }
  }

  /// Sends a message, now and then in fragments.
  private mutating func send(_ message: Message) {
    let bytes = message.encoded()
    guard happens(15), bytes.count > 1 else { return coming.append(bytes) }
    let middle = Int.random(in: 1..<bytes.count, using: &random)
    coming.append(Message.fragment(isLast: false, Array(bytes[..<middle])).encoded())
    coming.append(Message.fragment(isLast: true, Array(bytes[middle...])).encoded())
  }
}
