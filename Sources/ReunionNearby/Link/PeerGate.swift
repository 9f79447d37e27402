import ReunionBluetooth
import ReunionCore

/// Decides when two devices may talk about a space: which of their links belong together, and whether both
/// are members by the list that both hold.
///
/// A pure value. Each side tells where it stands (`SpaceMessage.Standing`) whenever that changes; a
/// link is open where both have said so of links that are new to both, hold the same list, and are
/// members by it, unless both have a better link.
struct PeerGate {
  /// What happens.
  enum Event {
    /// The other device is connected, or is not any more.
    case reached, lost
    /// The other side said this, and what it signed is right.
    case heard(SpaceMessage)
    /// This side's link is closed.
    case linkClosed
    /// Whether this side syncs the space over a better link.
    case served(Bool)
    /// The list that is held here is another by now.
    case membersChanged
  }

  /// What is to be done, in order.
  enum Effect: Equatable {
    /// Tell where this side stands.
    case stand
    /// Tell the other side something else.
    case say(SpaceMessage)
    /// Tell the other side all statements of the list.
    case tellMembers
    /// Messages may flow from now on.
    case open
    /// They may not any more; the sentence says why.
    case close(String)
    /// A message for the link that is open.
    case deliver(ArraySlice<UInt8>)
    /// The two cannot share the space, for the reason given.
    case refuse(String)
  }

  /// The key of this side, and what it holds of the members.
  struct Own {
    let key: DeviceKey
    let list: MemberList?
  }

  /// What both sides are to each other while the gate is open.
  struct Terms: Equatable {
    let own: MemberList.Member
    let other: MemberList.Member
  }

  var seededBugs = SeededBugs()
  private(set) var number: UInt64 = 1
  private(set) var after: UInt64 = 0
  private(set) var isServed = false
  private(set) var isReachable = false
  /// What the other side said last.
  private(set) var theirs: SpaceMessage.Standing?
  /// The terms of the open link, and the number that it has there.
  private(set) var terms: Terms?
  private var theirNumber: UInt64 = 0
  /// The digests of both sides' lists when this side last told its own.
  private var toldFor: [UInt8] = []
  private var hasRefused = false

  var isOpen: Bool { terms != nil }

  /// Takes an event in.
  mutating func next(_ event: Event, _ own: Own) -> [Effect] {
    switch event {
    case .reached:
      isReachable = true
      theirs = nil
      toldFor = []
      hasRefused = false
      return [.stand]
    case .lost:
      isReachable = false
      theirs = nil
      return end("The other device is out of reach.")
    case .heard(let message): return hear(message, own)
    case .linkClosed:
      guard isOpen else { return [] }
      let ended = number
      return end("") + [.say(.closed(ended)), .stand]
    case .served(let isServed):
      guard self.isServed != isServed else { return [] }
      self.isServed = isServed
      return stand() + settle(own)
    case .membersChanged:
      hasRefused = false
      return stand() + settle(own)
    }
  }

  private func stand() -> [Effect] { isReachable ? [.stand] : [] }

  private mutating func hear(_ message: SpaceMessage, _ own: Own) -> [Effect] {
    guard isReachable else { return [] }
    switch message {
    case .standing(let standing):
      theirs = standing
      var effects: [Effect] = []
      if isOpen, standing.after >= number || standing.number != theirNumber {
        effects = end("The other side begins anew.") + [.stand]
      } else if !isOpen, standing.after >= number {
        number = standing.after + 1
        effects = [.stand]
      }
      effects += settle(own)
      // It has not heard where this side stands: its program listened later.
      if standing.heard < number, !effects.contains(.stand), !seededBugs.saidOnce {
        effects.insert(.stand, at: 0)
      }
      return effects
    case .members: return []
    case .closed(let number):
      guard isOpen, number == theirNumber else { return [] }
      return end("The other side closed the link.") + [.stand]
    case .refused(let sentence): return [.refuse(String(decoding: sentence, as: UTF8.self))]
    case .message(let number, let bytes):
      if isOpen, number == theirNumber || seededBugs.staleMessageDelivered {
        return [.deliver(bytes)]
      }
      // It takes a link for open that is not: it hears that this one is over.
      guard !isOpen, number > after else { return [] }
      after = number
      return [.stand]
    }
  }

  /// The open link is over.
  private mutating func end(_ reason: String) -> [Effect] {
    guard isOpen else { return [] }
    terms = nil
    number += 1
    after = max(after, theirNumber)
    return [.close(reason)]
  }

  /// Opens or closes, as things are now.
  private mutating func settle(_ own: Own) -> [Effect] {
    guard isReachable, let theirs, let list = own.list else { return [] }
    let me = list.member(own.key)
    var other = list.member(theirs.key)
    if seededBugs.membershipNotChecked, me != nil, other == nil {
      other = MemberList.Member(key: theirs.key, device: theirs.device, role: .edit)
    }
    if let terms {
      let isIdle = rests(theirs)
      if terms.own != me || terms.other != other {
        return end("What the two may do has changed.") + [.stand] + settle(own)
      }
      return isIdle ? end("Both have a better link.") + [.stand] : []
    }
    let digest = list.digest
    guard theirs.digest == digest || seededBugs.membershipNotChecked else {
      return tell(list, digest, to: other, theirs)
    }
    guard let me, let other, other.device == theirs.device else { return refuse(me, other) }
    guard !rests(theirs), theirs.number > after, number > theirs.after else {
      return []
    }
    terms = Terms(own: me, other: other)
    theirNumber = theirs.number
    return [.open]
  }

  /// Whether both have a better link.
  private func rests(_ theirs: SpaceMessage.Standing) -> Bool {
    let isOneEnough = seededBugs.restsForOne
    return isOneEnough ? isServed || theirs.isServed : isServed && theirs.isServed
  }

  /// The lists differ: the members are told to a member, and to nobody else.
  private mutating func tell(
    _ list: MemberList, _ digest: [UInt8], to other: MemberList.Member?,
    _ theirs: SpaceMessage.Standing
  ) -> [Effect] {
    guard other != nil else { return refuse(nil, nil) }
    guard toldFor != digest + theirs.digest else { return [] }
    toldFor = digest + theirs.digest
    return [.tellMembers]
  }

  private mutating func refuse(
    _ me: MemberList.Member?, _ other: MemberList.Member?
  ) -> [Effect] {
    guard !hasRefused else { return [] }
    hasRefused = true
    let sentence =
      other == nil
      ? "This device is no member of the space: ask somebody to admit it."
      : me == nil
        ? "The other device is no member of the space: admit it again."
        : "The device writes under another number than it was admitted with: admit it again."
    return [.say(.refused(Array(sentence.utf8)))]
  }
}
