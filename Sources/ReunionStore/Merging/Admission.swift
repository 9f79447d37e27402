import ReunionCore
import ReunionDisk

/// Decides which changes of a push an authority lets in.
///
/// A transaction is refused whole: one refused cell refuses all with its site and stamp, which may
/// take the creation from others, so that it goes on until no more fall. Of the changes it keeps
/// what decides, and no values. Cost: linear in the changes, whatever they build on.
///
/// What was refused stays so, whatever the authority has become: its author may be taking it back.
struct Admission {
  private struct Transaction: Hashable {
    let site: Site
    let stamp: Stamp

    init(_ change: Change) {
      site = change.cell.dot.site
      stamp = change.cell.stamp
    }
  }

  /// A change: of which transaction, to which record.
  private struct Entry {
    let transaction: Int32
    let record: Int32
    let isCreation: Bool
    let isOwn: Bool
    /// Whether exactly this is held.
    let isHeld: Bool
    var bytes = 0
  }

  /// What is known of a record that changes.
  private struct Record {
    let isKnown: Bool
    let creator: UInt64?
    /// Whether it was erased: nothing of it is let in, which lets nothing else fall.
    let isErased: Bool
    /// How many cells it may come to have.
    var cellCount: Int
  }

  let authority: Authority
  let peer: Site
  /// How many own changes the peer's hello named.
  let helloSeq: UInt64
  /// What the peer was refused of each record and has not answered.
  let unanswered: [RecordKey: VersionVector]
  /// What the model says of values.
  let layout: Layout
  /// What may be let in.
  let weightMax: Weight
  /// What is let in.
  private(set) var weight = Weight()

  /// What a rule of the app's refuses, and why.
  let ruledOut: [TransactionRule.Key: String]
  /// The last change of the store that is asked: what goes beyond it under its site is not let in, nor that
  /// this site is given up. Nil where such a push does not come this far.
  let own: Dot?
  /// The sites of the peer's device, where it may change only its own: those that there are, and new ones.
  private var sites: Set<Site>
  private var entries: [Entry] = []
  private var transactions: [Transaction: Int32] = [:]
  private var isRefused: [Bool] = []
  /// The rule's sentence for transactions that it refuses, and for what falls with them.
  private var sentences: [Int: String] = [:]
  private var keys: [RecordKey: Int32] = [:]
  private var records: [Record] = []
  /// The record that was looked up last.
  private var last: (key: RecordKey, state: HeldRecord)?
  /// Whether records were erased.
  let hasErased: Bool
  /// The erased records of which the peer's device brought changes.
  private var erasedKeys: Set<RecordKey> = []
  /// The highest change of each site of the peer's device that the push has brought.
  private(set) var broughtSeqs: [Site: UInt64] = [:]

  /// Cells that a record may have by a guest's changes.
  static let cellsMax = 1024
  /// Sites of one device that one push may bring.
  static let sitesMax = 16
  /// Sites of a guest's device that a space may have, given up or not: every replica keeps each for ever.
  static let sitesOfDeviceMax = 64
  /// Bytes of a guest's value where the model says nothing.
  static let valueBytesMax = 64 * 1024

  init(
    authority: Authority, peer: Site, helloSeq: UInt64,
    unanswered: [RecordKey: VersionVector] = [:], layout: Layout = Layout(),
    weightMax: Weight = Weight(bytes: .max, records: .max), hasErased: Bool = false,
    ruledOut: [TransactionRule.Key: String] = [:], own: Dot? = nil, sites: Set<Site> = []
  ) {
    self.ruledOut = ruledOut
    self.own = own
    self.sites = sites
    self.hasErased = hasErased
    self.authority = authority
    self.peer = peer
    self.helloSeq = helloSeq
    self.unanswered = unanswered
    self.layout = layout
    self.weightMax = weightMax
  }

  /// Whether everything is let in.
  var isOpen: Bool { isOpenButForErased && !hasErased }

  /// Whether everything is let in that is not of an erased record.
  var isOpenButForErased: Bool {
    authority == .all && unanswered.isEmpty && ruledOut.isEmpty && !isLimited && own == nil
  }

  /// Whether there is a limit to what may be let in: a guest's, or that of a person's own space.
  private var isLimited: Bool { weightMax != Weight(bytes: .max, records: .max) }

  private var device: UInt64? {
    if case .own(let device) = authority { device } else { nil }
  }

  /// What is known of a record before the push.
  enum HeldRecord {
    case held(RecordState?)
    case erased
  }

  /// Takes note of changes; `held` tells what is held of a record.
  mutating func add(
    _ changes: [Change], held: (RecordKey) throws(StoreError) -> HeldRecord
  ) throws(StoreError) {
    for change in changes {
      let key = RecordKey(change)
      if last?.key != key { last = (key, try held(key)) }
      note(change, key, last?.state ?? .held(nil))
    }
  }

  private mutating func note(_ change: Change, _ key: RecordKey, _ held: HeldRecord) {
    var state: RecordState?
    if case .held(let known) = held { state = known }
    let dot = change.cell.dot
    let isOneTooMany = !admitsSite(of: change)
    if !isOneTooMany { brought(dot) }
    let record: Int32
    if let known = keys[key] {
      record = known
    } else {
      record = Int32(truncatingIfNeeded: records.count)
      keys[key] = record
      var isErased = false
      if case .erased = held { isErased = true }
      records.append(
        Record(
          isKnown: state != nil, creator: state?.creation?.dot.site.device, isErased: isErased,
          cellCount: state?.cells.count ?? 0))
    }
    if records[Int(record)].isErased {
      // A peer that wrote into it without knowing of the erasure is told.
      if dot.site.device == peer.device { erasedKeys.insert(key) }
      return
    }
    let transaction = number(of: Transaction(change))
    let isHeld = state?.cells.contains(change.cell) ?? false
    if !isHeld, unanswered[key]?.covers(dot) == true { isRefused[Int(transaction)] = true }
    if let own, Self.isBeyond(own, change) { isRefused[Int(transaction)] = true }
    guard authority != .all else {
      entries.append(
        Entry(
          transaction: transaction, record: record, isCreation: change.cell.merge == .creation,
          isOwn: true, isHeld: isHeld, bytes: isLimited ? change.cell.approximateBytes : 0))
      return
    }
    // Records that are costly to merge, and stamps that nobody can follow; who erases a blob takes
    // it from whoever's record names it. What readers need is for those to say who may edit.
    if records[Int(record)].cellCount >= Self.cellsMax || change.cell.stamp >= Stamp.guestLimit
      || isErasure(change) || change.entity == RequiredReader.entity || dot.seq > Dot.seqMax
      || retiresAnother(change) || isLong(change) || isOneTooMany
    {
      isRefused[Int(transaction)] = true
    }
    records[Int(record)].cellCount += 1
    entries.append(
      Entry(
        transaction: transaction, record: record, isCreation: change.cell.merge == .creation,
        isOwn: dot.site.device == device, isHeld: isHeld, bytes: change.cell.approximateBytes))
  }

  /// Takes note of how far the push goes.
  mutating func brought(_ dot: Dot) {
    guard dot.site.device == peer.device else { return }
    guard broughtSeqs[dot.site] != nil || broughtSeqs.count < Self.sitesMax else { return }
    broughtSeqs[dot.site] = max(broughtSeqs[dot.site] ?? 0, dot.seq)
  }

  /// Whether a device has no more sites than it may with those of a change: the one under which it was
  /// written, and the one that it gives up.
  private mutating func admitsSite(of change: Change) -> Bool {
    guard let device else { return true }
    var named = [change.cell.dot.site]
    if change.entity == Retirement.entity { named.append(Retirement.site(of: change.record)) }
    for site in named where site.device == device && !sites.contains(site) {
      guard sites.count < Self.sitesOfDeviceMax else { return false }
      sites.insert(site)
    }
    return true
  }

  /// Whether a site is one of the peer's that there are, or one more that there may be.
  func hasRoom(for site: Site) -> Bool {
    guard let device, site.device == device else { return true }
    return sites.contains(site) || sites.count < Self.sitesOfDeviceMax
  }

  /// Whether a change claims to be a store's own and is not, or gives up its site.
  static func isBeyond(_ own: Dot, _ change: Change) -> Bool {
    change.cell.dot.site == own.site && change.cell.dot.seq > own.seq
      || change.entity == Retirement.entity && change.record == Retirement.id(of: own.site)
  }

  /// Whether it erases a blob or a record.
  private func isErasure(_ change: Change) -> Bool {
    change.entity == Erasure.entity || change.entity == RecordErasure.entity
  }

  /// Whether a value is longer than a guest's may be.
  private func isLong(_ change: Change) -> Bool {
    change.cell.value.bytes.count
      > layout.bytesMax(of: change.cell.field, change.entity) ?? Self.valueBytesMax
  }

  /// Whether it gives up a site of another device.
  private func retiresAnother(_ change: Change) -> Bool {
    change.entity == Retirement.entity
      && Retirement.site(of: change.record).device != peer.device
  }

  private mutating func number(of transaction: Transaction) -> Int32 {
    if let number = transactions[transaction] { return number }
    let number = Int32(truncatingIfNeeded: isRefused.count)
    transactions[transaction] = number
    isRefused.append(false)
    if !ruledOut.isEmpty,
      let sentence = ruledOut[.init(site: transaction.site, stamp: transaction.stamp)]
    {
      isRefused[Int(number)] = true
      sentences[Int(number)] = sentence
    }
    return number
  }

  /// Lets nothing in of what was noted.
  mutating func refuseAll() {
    for transaction in isRefused.indices { isRefused[transaction] = true }
  }

  /// Decides, when everything is noted.
  mutating func decide() {
    last = nil
    // A peer that may change everything loses only what a rule refuses or what is too much, and
    // what builds on that.
    guard device != nil || isLimited || !ruledOut.isEmpty || own != nil else { return }
    let ofRecord = Groups(entries.map(\.record), count: records.count)
    let ofTransaction = Groups(entries.map(\.transaction), count: isRefused.count)
    /// How many creations of each record stand.
    var creationCounts = [Int32](repeating: 0, count: records.count)
    for entry in entries where entry.isCreation { creationCounts[Int(entry.record)] += 1 }
    var falling = isRefused.indices.filter { isRefused[$0] }
    func fall(_ entry: Entry, _ isRefused: inout [Bool], _ falling: inout [Int]) {
      guard !entry.isHeld, !isRefused[Int(entry.transaction)] else { return }
      isRefused[Int(entry.transaction)] = true
      falling.append(Int(entry.transaction))
    }
    // A transaction that falls takes its creations along, and with the last one of a record all that
    // build on it.
    func fallOn(
      _ isRefused: inout [Bool], _ falling: inout [Int], _ sentences: inout [Int: String]
    ) {
      while let transaction = falling.popLast() {
        for index in ofTransaction[transaction] where entries[Int(index)].isCreation {
          let record = Int(entries[Int(index)].record)
          creationCounts[record] -= 1
          guard creationCounts[record] == 0, !records[record].isKnown else { continue }
          for other in ofRecord[record] {
            let entry = entries[Int(other)]
            fall(entry, &isRefused, &falling)
            if let sentence = sentences[transaction], sentences[Int(entry.transaction)] == nil {
              sentences[Int(entry.transaction)] = sentence
            }
          }
        }
      }
    }
    if let device {
      for entry in entries {
        let record = records[Int(entry.record)]
        let mayChange =
          record.isKnown ? record.creator == device : creationCounts[Int(entry.record)] > 0
        if !entry.isOwn || !mayChange { fall(entry, &isRefused, &falling) }
      }
    }
    fallOn(&isRefused, &falling, &sentences)
    guard device != nil || isLimited else { return }
    for transaction in isRefused.indices where !isRefused[transaction] {
      let news = ofTransaction[transaction].map { entries[Int($0)] }.filter { !$0.isHeld }
      let next = Weight(
        bytes: news.reduce(0) { $0 + $1.bytes },
        records: news.count { $0.isCreation && !records[Int($0.record)].isKnown })
      if (weight + next).fits(in: weightMax) {
        weight = weight + next
      } else if let first = news.first {
        fall(first, &isRefused, &falling)
        fallOn(&isRefused, &falling, &sentences)
      }
    }
  }

  func admits(_ change: Change) -> Bool {
    switch authority {
    case .all where isOpen: return true
    case .none: return false
    case .own, .all:
      guard let number = transactions[Transaction(change)] else { return false }
      return !isRefused[Int(number)]
    }
  }

  /// The changes that are let in.
  func admitted(_ changes: [Change]) -> [Change] {
    isOpen ? changes : changes.filter(admits)
  }

  /// The records of which changes were not let in, each with the rule's sentence in UTF-8. What is held as
  /// it is was no news.
  var refused: [(key: RecordKey, sentence: [UInt8])] {
    guard !isOpen else { return [] }
    var isHit = [Bool](repeating: false, count: records.count)
    var said: [Int32: String] = [:]
    for entry in entries
    where !entry.isHeld
      && (authority == .none || isRefused[Int(entry.transaction)])
    {
      isHit[Int(entry.record)] = true
      if let sentence = sentences[Int(entry.transaction)] { said[entry.record] = sentence }
    }
    return keys.filter { isHit[Int($0.value)] || erasedKeys.contains($0.key) }
      .sorted { $0.value < $1.value }
      .map { ($0.key, Array((said[$0.value] ?? "").utf8)) }
  }

  /// What of a vector may be taken over. Refused changes count as held, so that their site is not
  /// stuck.
  ///
  /// A guest's word counts for its own device alone: as far as the push has brought changes, and of
  /// the site that speaks as far as its hello named some.
  func raised(_ vector: VersionVector) -> VersionVector {
    switch authority {
    case .all: return vector
    case .none: return VersionVector()
    case .own(let device):
      var own = VersionVector()
      for dot in vector.entries where dot.site.device == device {
        let brought = broughtSeqs[dot.site] ?? 0
        own.raise(
          dot.site, to: min(dot.seq, dot.site == peer ? max(brought, helloSeq) : brought))
      }
      return own
    }
  }
}

/// The indices of what has a number, by that number.
private struct Groups {
  private var starts: [Int32]
  private var indices: [Int32]

  init(_ numbers: [Int32], count: Int) {
    starts = [Int32](repeating: 0, count: count + 1)
    for number in numbers { starts[Int(number) + 1] += 1 }
    for number in 0..<count { starts[number + 1] += starts[number] }
    indices = [Int32](repeating: 0, count: numbers.count)
    var next = starts
    for (index, number) in numbers.enumerated() {
      indices[Int(next[Int(number)])] = Int32(truncatingIfNeeded: index)
      next[Int(number)] += 1
    }
  }

  subscript(number: Int) -> ArraySlice<Int32> {
    indices[Int(starts[number])..<Int(starts[number + 1])]
  }
}

extension RecordKey {
  init(_ change: Change) { self.init(entity: change.entity, id: change.record) }
}
