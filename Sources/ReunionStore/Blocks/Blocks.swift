import Dispatch
package import ReunionCore
import ReunionDisk
import ReunionFlow

/// The blocks of a store's spaces: made when a newcomer asks, once for all that come after, beside whatever
/// writes, and kept in the store's folder `blocks`.
///
/// Of a space two are kept, one for each form. A new one is made when more has arrived since than an eighth
/// of its records, and for a leaf when a record was deleted since. Nothing rests on them: the folder may be emptied
/// at any time, and is when this begins; a space in which something is erased for good has none of before.
/// *Thread*: any.
package final class Blocks: Sendable {
  private struct Key: Hashable {
    var space: SpaceID
    var form: Block.Form
  }

  private struct State {
    /// Each with the time at which it was made.
    var blocks: [Key: (block: Block, milliseconds: UInt64)] = [:]
    /// Up to which arrival nothing was deleted since a block was made.
    var seen: [Key: UInt64] = [:]
    /// The arrival numbers at which there was too little, or too large a record.
    var fruitless: [Key: UInt64] = [:]
    /// The waiting calls for a block that is being made.
    var waiting: [Key: [@Sendable (Block?) -> Void]] = [:]
    var madeCount = 0
    var isOver = false
    /// How often something was erased in a space.
    var erasures: [SpaceID: Int] = [:]
  }

  /// How long a block for leaves stays away after a deletion.
  private static let restMilliseconds: UInt64 = 10_000

  private let store: Store
  private let folder: String
  private let recordsMin: Int
  /// What tells the files of this from those of another that is ending.
  private let mark = UInt32.random(in: 0 ... .max)
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Lock(State())
  private let observation = Lock<SignalSubscription?>(nil)

  /// Begins without any block.
  /// - Parameters:
  ///   - store: the store.
  ///   - recordsMin: the least records of a space for which one is made.
  ///   - run: where blocks are made; by default on a thread of little urgency.
  package init(
    _ store: Store, recordsMin: Int = 500,
    run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
      DispatchQueue.global(qos: .utility).async(execute: work)
    }
  ) {
    self.store = store
    self.recordsMin = recordsMin
    self.run = run
    folder = store.folder + "/blocks"
    let disk = store.options.disk
    for name in (try? disk.names(in: folder)) ?? [] { try? disk.remove("\(folder)/\(name)") }
    let observation = store.observeCommits { [weak self] commit in
      guard commit.horizon != nil || commit.entities.contains(RecordErasure.entity) else { return }
      self?.forget(commit.space)
    }
    self.observation.withLock { $0 = observation }
  }

  /// Gives a block of a space, as soon as it is made; nil if the space is small, or the disk fails, or somebody
  /// deletes so often that no block for leaves would last. `body` is called once, on any thread, and at once if
  /// the block is there.
  package func block(
    of space: SpaceID, _ form: Block.Form, _ body: @escaping @Sendable (Block?) -> Void
  ) {
    let key = Key(space: space, form: form)
    let isBeingMade = state.withLock { state in
      guard state.waiting[key] != nil else { return false }
      state.waiting[key]?.append(body)
      return true
    }
    if isBeingMade { return }
    let arrival = (try? store.arrival(in: space)) ?? 0
    let worth = worth(of: key, at: arrival)
    enum Next {
      case give(Block?)
      case make
      case wait
    }
    let next: Next = state.withLock { state in
      switch worth {
      case .asIs(let block): return .give(block)
      case .nothing: return .give(nil)
      case .remaking: break
      }
      // Each record has arrived under a number of its own.
      if arrival < UInt64(recordsMin) { return .give(nil) }
      if let last = state.fruitless[key], arrival < last + last / 8 + 1 { return .give(nil) }
      state.waiting[key, default: []].append(body)
      return state.waiting[key]?.count == 1 ? .make : .wait
    }
    switch next {
    case .give(let block): body(block)
    case .make: run { self.make(key) }
    case .wait: break
    }
  }

  /// What a block that is there is worth by now.
  private enum Worth {
    case asIs(Block)
    /// It has what leaves do not get any more, and was made a moment ago.
    case nothing
    case remaking
  }

  private func worth(of key: Key, at arrival: UInt64) -> Worth {
    let (made, seen) = state.withLock { ($0.blocks[key], $0.seen[key] ?? 0) }
    guard let made, arrival >= made.block.arrival,
      arrival - made.block.arrival <= UInt64(made.block.recordCount) / 8,
      made.block.site == store.site(in: key.space),
      (try? store.options.disk.exists(made.block.path)) == true
    else { return .remaking }
    let last = max(seen, made.block.arrival)
    guard key.form == .leaf, arrival > last else { return .asIs(made.block) }
    guard (try? store.hasDeletions(in: key.space, after: last)) == false else {
      let age = store.options.wallMilliseconds() &- made.milliseconds
      return age < Self.restMilliseconds ? .nothing : .remaking
    }
    state.withLock { $0.seen[key] = arrival }
    return .asIs(made.block)
  }

  /// Lets go of a block that turned out to be damaged.
  package func drop(_ block: Block) {
    let key = Key(space: block.space, form: block.form)
    let isMine = state.withLock { state in
      guard state.blocks[key]?.block == block else { return false }
      state.blocks[key] = nil
      return true
    }
    if isMine { try? store.options.disk.remove(block.path) }
  }

  /// Lets go of all, and keeps none from now on.
  package func removeAll() {
    let paths = state.withLock { state in
      defer { (state.blocks, state.isOver) = ([:], true) }
      return state.blocks.values.map(\.block.path)
    }
    for path in paths { try? store.options.disk.remove(path) }
  }

  private func make(_ key: Key) {
    let erasures = state.withLock { $0.erasures[key.space] }
    let number = state.withLock { state in
      state.madeCount += 1
      return state.madeCount
    }
    let made = Result {
      try store.makeBlock(
        of: key.space, key.form, in: folder, named: "\(mark)-\(number)", recordsMin)
    }
    var block = (try? made.get())?.block
    // A leaf that asked meanwhile gets nothing of what was deleted by then.
    let isOfDeleted =
      key.form == .leaf
      && block.map { block in
        (try? store.hasDeletions(in: key.space, after: block.arrival)) != false
      } == true
    let now = store.options.wallMilliseconds()
    let (rest, waiting): ([Block], [@Sendable (Block?) -> Void]) = state.withLock { state in
      let waiting = state.waiting.removeValue(forKey: key) ?? []
      // What was erased meanwhile stands in it.
      let isOfErased = state.erasures[key.space] != erasures
      guard let new = block, !isOfErased, !isOfDeleted, !state.isOver else {
        if case .success(let found) = made, block == nil { state.fruitless[key] = found.arrival }
        let unused = block.map { [$0] } ?? []
        block = nil
        return (unused, waiting)
      }
      let old = state.blocks.updateValue((new, now), forKey: key)
      state.seen[key] = new.arrival
      state.fruitless[key] = nil
      return (old.map { [$0.block] } ?? [], waiting)
    }
    for block in rest { try? store.options.disk.remove(block.path) }
    for body in waiting { body(block) }
  }

  /// Lets go of the blocks of a space.
  private func forget(_ space: SpaceID) {
    let paths = state.withLock { state in
      state.erasures[space, default: 0] += 1
      return Block.Form.allCases.compactMap {
        state.blocks.removeValue(forKey: Key(space: space, form: $0))?.block.path
      }
    }
    for path in paths { try? store.options.disk.remove(path) }
  }
}

extension Store {
  /// The highest arrival number of a space.
  fileprivate func arrival(in space: SpaceID) throws -> UInt64 {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return 0 }
      return try reader.arrival(space: number)
    }
  }

  /// Whether a record that arrived after a number is deleted.
  fileprivate func hasDeletions(in space: SpaceID, after arrival: UInt64) throws -> Bool {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return false }
      var isFound = false
      try reader.scan(space: number, after: arrival) { (record) throws(StoreError) in
        isFound = !record.state.isSurelyAlive && record.state.isDeleted
        return !isFound
      }
      return isFound
    }
  }

  /// Whether a device has written in a space.
  package func hasChanges(of device: UInt64, in space: SpaceID) throws -> Bool {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return false }
      return try !reader.vector(space: number, ofDevice: device).entries.isEmpty
    }
  }

  /// Makes a block as of now, and says as of which arrival; nil where it is not worth one.
  fileprivate func makeBlock(
    of space: SpaceID, _ form: Block.Form, in folder: String, named mark: String, _ recordsMin: Int
  ) throws -> (block: Block?, arrival: UInt64) {
    try options.disk.makeFolder(folder)
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space),
        let row = try reader.spaceRow(number)
      else { return (nil, 0) }
      let position = try position(in: space, number, row, reader, ownOnly: false)
      guard !position.isEmpty else { return (nil, row.arrival) }
      var maker = try BlockMaker(space, form, in: folder, named: mark, on: options.disk)
      let block = try maker.make(
        reader, number: number, row: row, by: site(in: space), position: position,
        recordsMin: recordsMin)
      return (block, row.arrival)
    }
  }
}
