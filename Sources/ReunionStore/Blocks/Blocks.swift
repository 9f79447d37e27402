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
    var blocks: [Key: Block] = [:]
    /// Up to which arrival nothing was deleted since a block was made.
    var seen: [Key: UInt64] = [:]
    /// The arrival numbers at which there was too little, or too large a record.
    var fruitless: [Key: UInt64] = [:]
    /// The waiting calls for a block that is being made.
    var waiting: [Key: [@Sendable (Block?) -> Void]] = [:]
    var madeCount = 0
    /// How often something was erased in a space.
    var erasures: [SpaceID: Int] = [:]
  }

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
      guard commit.entities.contains(RecordErasure.entity) else { return }
      self?.forget(commit.space)
    }
    self.observation.withLock { $0 = observation }
  }

  /// Gives a block of a space, as soon as it is made; nil if the space is small, or the disk fails. `body` is
  /// called once, on any thread, and at once if the block is there.
  package func block(
    of space: SpaceID, _ form: Block.Form, _ body: @escaping @Sendable (Block?) -> Void
  ) {
    let key = Key(space: space, form: form)
    let arrival = (try? store.arrival(in: space)) ?? 0
    let isStale = isStale(key, at: arrival)
    enum Next {
      case give(Block?)
      case make
      case wait
    }
    let next: Next = state.withLock { state in
      if let block = state.blocks[key], !isStale { return .give(block) }
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

  /// Whether a block is too old by now: it lacks too much, has what leaves do not get any more, is of another
  /// incarnation, or its file is gone.
  private func isStale(_ key: Key, at arrival: UInt64) -> Bool {
    let (block, seen) = state.withLock { ($0.blocks[key], $0.seen[key] ?? 0) }
    guard let block, arrival >= block.arrival,
      arrival - block.arrival <= UInt64(block.recordCount) / 8,
      block.site == store.site(in: key.space),
      (try? store.options.disk.exists(block.path)) == true
    else { return true }
    guard key.form == .leaf else { return false }
    let last = max(seen, block.arrival)
    guard arrival > last else { return false }
    guard (try? store.hasDeletions(in: key.space, after: last)) == false else { return true }
    state.withLock { $0.seen[key] = arrival }
    return false
  }

  /// Lets go of a block that turned out to be damaged.
  package func drop(_ block: Block) {
    let key = Key(space: block.space, form: block.form)
    let isMine = state.withLock { state in
      guard state.blocks[key] == block else { return false }
      state.blocks[key] = nil
      return true
    }
    if isMine { try? store.options.disk.remove(block.path) }
  }

  /// Lets go of all.
  package func removeAll() {
    let paths = state.withLock { state in
      defer { state.blocks = [:] }
      return state.blocks.values.map(\.path)
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
    let disk = store.options.disk
    let (old, waiting, isErased) = state.withLock { state in
      let isErased = state.erasures[key.space] != erasures
      let old = state.blocks[key]
      if case .success(let found) = made, !isErased {
        if let block = found.block {
          state.blocks[key] = block
          state.seen[key] = block.arrival
        }
        state.fruitless[key] = found.block == nil ? found.arrival : nil
      }
      return (old, state.waiting.removeValue(forKey: key) ?? [], isErased)
    }
    var block = (try? made.get())?.block
    // What was erased meanwhile stands in it.
    if isErased, let made = block {
      try? disk.remove(made.path)
      block = nil
    }
    if let block, let old, old.path != block.path { try? disk.remove(old.path) }
    for body in waiting { body(block) }
  }

  /// Lets go of the blocks of a space.
  private func forget(_ space: SpaceID) {
    let paths = state.withLock { state in
      state.erasures[space, default: 0] += 1
      return Block.Form.allCases.compactMap {
        state.blocks.removeValue(forKey: Key(space: space, form: $0))?.path
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
