import ReunionCore
import ReunionFlow

/// The secure channel over one connection: the greeting, then messages.
///
/// It makes no calls but to its mailbox; what it sends is pulled (`frames`), what it finds are
/// `events`. *Thread*: confined to the serial queue of its `Bluetooth`.
final class Channel {
  /// What happened, for whoever owns the connection.
  enum Event {
    /// Keys are agreed. The owner attaches a mailbox when the peer is one it talks to.
    case introduced(Greeting.Introduction)
    /// Both sides have said what they have: messages flow.
    case opened
    /// The peer has taken these messages.
    case settled(Lane, [UInt64])
    /// A message of the session stream came.
    case received([UInt8])
    /// All that waited for the session stream, of what is urgent or of the rest, is on its way.
    case drained(isUrgent: Bool)
    /// The channel is over.
    case ended(ChannelEnd)
  }

  private enum Phase {
    case greeting(Greeting)
    case introduced
    case open
    case ended
  }

  enum Word {
    static let resume: UInt8 = 1
    static let taken: UInt8 = 2
    static let part: UInt8 = 3
    static let room: UInt8 = 4
    static let marks: UInt8 = 5
  }

  private static let control = 0

  var flow: FrameFlow
  private var phase: Phase
  private var sending: SessionCipher?
  private var receiving: SessionCipher?
  private let seededBugs: SeededBugs
  var mailbox: PeerMailbox?
  /// Bytes of the control stream: records with their lengths before them.
  var control: ArraySlice<UInt8> = []
  private var controlArrived: [UInt8] = []
  private var waitingIntroduction: Greeting.Introduction?
  private var theirResumption: Resumption?
  /// What they said of it before; nil of an earlier build.
  private var theirMarks: [UInt8]?
  private var hasResumed = false
  private var closing: CloseReason?
  /// What is said for as long as the connection lasts.
  let stream = SessionStream()
  /// How many frames a lane may still send before it is the session stream's turn again.
  var laneTurns = 0
  var events: [Event] = []

  /// Begins a channel; `way` is nil where this side was found.
  init(
    _ way: Greeting.Way?, terms: Greeting.Terms, frameBytesMax: Int,
    using random: inout any RandomNumberGenerator, seededBugs: SeededBugs = SeededBugs()
  ) throws(SecrecyError) {
    flow = FrameFlow(frameBytesMax: frameBytesMax, seededBugs: seededBugs)
    self.seededBugs = seededBugs
    phase = .greeting(try Greeting(way, terms: terms, using: &random))
  }

  /// Speaks first, as the one who was found.
  func begin() {
    guard case .greeting(var greeting) = phase else { return }
    attempt {
      say(try greeting.begin())
      phase = .greeting(greeting)
    }
  }

  /// What was found since the last call.
  func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  /// True when messages flow.
  var isOpen: Bool { if case .open = phase { true } else { false } }

  /// How many frames were sent first, and again, and how many acknowledgements; for figures.
  var frameCounts: (sent: Int, repeated: Int, acknowledgements: Int) {
    (flow.sentCount, flow.repeatedCount, flow.acknowledgementCount)
  }

  /// How many bytes wait here for others or to be sent, those of messages left out.
  var heldBytes: Int { control.count + controlArrived.count + flow.earlyBytes }

  // MARK: Whom it is with

  /// Lets the messages of a peer flow over this connection; how much there is room for goes out beside it.
  func attach(_ mailbox: PeerMailbox, at now: Moment) {
    guard case .introduced = phase, self.mailbox == nil else { return }
    self.mailbox = mailbox
    mailbox.pause()
    flow.reopen(at: now)
    attempt {
      let resumption = mailbox.resumption
      try seal(Word.marks, resumption.markBytes)
      try seal(Word.resume, resumption.bytes)
      if let theirs = theirResumption { try resume(theirs) }
    }
  }

  private func resume(_ theirs: Resumption) throws {
    guard let mailbox, !hasResumed else { throw ChannelFault.violation }
    hasResumed = true
    try mailbox.resume(theirs) { events.append(.settled($0, $1)) }
    phase = .open
    events.append(.opened)
  }

  /// The program has taken a message that it was given.
  func acknowledge(_ number: UInt64, on lane: Lane, at now: Moment) {
    guard isOpen else { return }
    attempt {
      var writer = ByteWriter()
      writer.byte(lane.rawValue)
      writer.varint(number)
      try seal(Word.taken, writer.bytes)
      flow.reopen(at: now)
    }
  }

  // MARK: Frames in

  /// Takes a value in that came from the other side.
  func receive(_ value: [UInt8], at now: Moment) {
    if case .ended = phase { return }
    guard let frame = Frame(value) else { return end(.violation, saying: .violation) }
    if case .close(let reason) = frame { return end(.closed(reason)) }
    for piece in flow.receive(frame, at: now) {
      attempt { try receive(piece) }
      if case .ended = phase { return }
    }
  }

  private func receive(_ piece: FrameFlow.Piece) throws {
    guard let lane = Lane(rawValue: UInt8(piece.stream)) else {
      controlArrived += piece.bytes
      while let record = try nextRecord() { try receiveRecord(record) }
      return
    }
    guard isOpen, let mailbox else { throw ChannelFault.violation }
    try mailbox.receive(piece.bytes, on: lane) { (bytes) throws(SecrecyError) in
      guard let opened = try receiving?.open(bytes, stream: piece.stream) else {
        throw SecrecyError()
      }
      return opened
    }
  }

  /// The first record of the control stream, once it is here whole.
  private func nextRecord() throws -> [UInt8]? {
    guard controlArrived.count >= 2 else { return nil }
    let count = Int(controlArrived[0]) << 8 | Int(controlArrived[1])
    guard count <= Greeting.recordBytesMax else { throw ChannelFault.violation }
    guard controlArrived.count >= 2 + count else { return nil }
    defer { controlArrived.removeFirst(2 + count) }
    return Array(controlArrived[2..<2 + count])
  }

  private func receiveRecord(_ record: [UInt8]) throws {
    switch phase {
    case .greeting(var greeting):
      let (answer, introduction) = try greeting.receive(record)
      phase = .greeting(greeting)
      if let answer { say(answer) }
      guard let introduction else { return }
      sending = SessionCipher(key: introduction.sendKey, seededBugs: seededBugs)
      receiving = SessionCipher(key: introduction.receiveKey, seededBugs: seededBugs)
      phase = .introduced
      if introduction.isProvedByFirstWord {
        waitingIntroduction = introduction
      } else {
        events.append(.introduced(introduction))
      }
    case .introduced, .open:
      guard let word = try receiving?.open(record, stream: Self.control) else { return }
      if let introduction = waitingIntroduction {
        waitingIntroduction = nil
        events.append(.introduced(introduction))
      }
      try receiveWord(word)
    case .ended: break
    }
  }

  private func receiveWord(_ word: [UInt8]) throws {
    switch word.first {
    case Word.resume:
      guard theirResumption == nil else { throw ChannelFault.violation }
      var theirs = try Resumption(Array(word.dropFirst()))
      if let theirMarks { try theirs.add(marks: theirMarks) }
      theirResumption = theirs
      if mailbox != nil { try resume(theirs) }
    case Word.taken:
      var reader = ByteReader(word, from: 1)
      guard let lane = Lane(rawValue: try reader.byte()), isOpen, let mailbox else {
        throw ChannelFault.violation
      }
      let numbers = try mailbox.settle(lane, through: try reader.varint())
      if !numbers.isEmpty { events.append(.settled(lane, numbers)) }
    case Word.part:
      guard isOpen else { throw ChannelFault.violation }
      if let message = try stream.receive(word.dropFirst()) { events.append(.received(message)) }
      try tellRoom()
    case Word.room:
      var reader = ByteReader(word, from: 1)
      try stream.taken(try reader.varint())
    case Word.marks: theirMarks = Array(word.dropFirst())
    default: break  // A word of a later version.
    }
  }

  // MARK: Frames out

  private func say(_ record: [UInt8]) {
    control += [UInt8(record.count >> 8), UInt8(truncatingIfNeeded: record.count)] + record
  }

  func seal(_ word: UInt8, _ bytes: [UInt8]) throws {
    guard let sealed = try sending?.seal([word] + bytes, stream: Self.control) else { return }
    say(sealed)
  }

  /// The frames that may be sent now, one at a time, until nil.
  func nextFrame(at now: Moment) -> [UInt8]? {
    if let reason = closing {
      closing = nil
      return Frame.close(reason).bytes
    }
    if case .ended = phase { return nil }
    if isOpen, control.isEmpty, flow.isOpen(Self.control) { attempt { try fillInTurn() } }
    if !control.isEmpty, flow.isOpen(Self.control) {
      let piece = control.prefix(flow.pieceBytesMax)
      control = control.dropFirst(piece.count)
      return flow.send(Self.control, piece, at: now)
    }
    guard isOpen, let mailbox else { return nil }
    for lane in Lane.allCases where mailbox.hasMore(on: lane) {
      if let frame = nextFrame(of: lane, mailbox, at: now) { return frame }
    }
    return nil
  }

  private func nextFrame(
    of lane: Lane, _ mailbox: PeerMailbox, at now: Moment
  ) -> [UInt8]? {
    let stream = Int(lane.rawValue)
    guard flow.isOpen(stream) else {
      flow.wants(stream, at: now)
      return nil
    }
    var frame: [UInt8]?
    attempt {
      let bytes = try mailbox.nextBytes(of: lane, flow.pieceBytesMax) {
        (head) throws(SecrecyError) in
        guard let sealed = try sending?.seal(head, stream: stream) else { throw SecrecyError() }
        return sealed
      }
      frame = flow.send(stream, bytes, at: now)
    }
    return frame
  }

  /// What time brings: acknowledgements, and what must be sent again.
  func due(at now: Moment) -> [[UInt8]] {
    if case .ended = phase { return [] }
    if flow.isStalled(at: now) {
      end(.stalled)
      return []
    }
    let room = mailbox?.room ?? [0, 0]
    return flow.due(at: now, room: room)
  }

  /// When `due` has something to do.
  var deadline: Moment? {
    if case .ended = phase { return nil }
    return flow.deadline
  }

  // MARK: The end

  /// Ends the channel, and tells the other side why.
  func close(_ reason: CloseReason) { end(.asked, saying: reason) }

  private func end(_ end: ChannelEnd, saying reason: CloseReason? = nil) {
    if case .ended = phase { return }
    closing = reason
    phase = .ended
    mailbox?.pause()
    mailbox = nil
    events.append(.ended(end))
  }

  func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch let refusal as GreetingRefusal {
      end(.refused(refusal.reason), saying: refusal.reason)
    } catch ChannelFault.startsOver {
      end(.startsOver, saying: .leaving)
    } catch let error as BluetoothError {
      end(.failed(error), saying: .leaving)
    } catch {
      end(.violation, saying: .violation)
    }
  }
}

/// How a channel ended.
enum ChannelEnd: Equatable {
  /// This side wanted it.
  case asked
  /// The other side said so.
  case closed(CloseReason)
  /// This side does not talk to the other, and has told it why.
  case refused(CloseReason)
  /// The other side broke the protocol.
  case violation
  /// The other side says nothing any more.
  case stalled
  /// This side was put back to an earlier state.
  case startsOver
  /// The store failed.
  case failed(BluetoothError)
}
