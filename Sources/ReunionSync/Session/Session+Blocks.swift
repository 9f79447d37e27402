import ReunionCore
import ReunionFlow
import ReunionStore

/// A newcomer takes a block in place of a long first push (docs/protocol.md 2.24).
extension Session {
  /// How far a block has gone out.
  enum SentBlock {
    case unasked
    /// It is being made.
    case asked
    case sending(BlockReader)
    /// It is sent, or there is none: windows bring the rest.
    case over
  }

  /// Sends a newcomer the next part of a block in place of a window; false where it gets none.
  func readPart(_ reading: Conversation.Reading, for peer: Hello) throws -> Bool {
    guard let blocks = configuration.blocks else { return false }
    switch work.withLock({ $0.block }) {
    case .over: return false
    case .asked: break
    case .unasked:
      guard try isNewcomer(peer, reading) else {
        work.withLock { $0.block = .over }
        return false
      }
      work.withLock { $0.block = .asked }
      blocks.block(of: configuration.space, peer.isLeaf ? .leaf : .whole) { [weak self] block in
        guard let self else { return }
        self.execute { self.found(block) }
      }
    case .sending(var reader):
      // What cannot be read comes by windows, and what went before it once more.
      let part = nextPart(of: &reader, blocks)
      work.withLock { $0.block = part == nil || reader.isOver ? .over : .sending(reader) }
      guard let part else { return false }
      let arrival = bugs.blockOlderThanPosition ? UInt64.max : reader.block.arrival
      offer(.partsRead([part], cursor: reader.isOver ? arrival : 0))
      return true
    }
    // The block may have come meanwhile; then `found` reads on.
    work.withLock { $0.waiting = .readWindow(reading) }
    if case .asked = work.withLock({ $0.block }) { return true }
    readOn()
    return true
  }

  /// The changes of a long window as parts; nil where they go as they are. Its end comes with the next window.
  ///
  /// Parts are merged before all else that a push brings: none follow on changes. What an audit sends whole goes with
  /// the names that it is to settle.
  func packed(_ window: PushWindow, of reading: Conversation.Reading) throws -> [PackedPart]? {
    guard window.changes.count >= configuration.packedChangesMin, reading.audited.isEmpty,
      work.withLock({ $0.features.takesParts && !$0.isPushUnpacked })
    else { return nil }
    return try window.packed()
  }

  private func nextPart(of reader: inout BlockReader, _ blocks: Blocks) -> PackedPart? {
    do {
      return try reader.next()
    } catch {
      if error.code == .damaged { blocks.drop(reader.block) }
      return nil
    }
  }

  /// Whether the other side holds nothing of others, and takes parts. A leaf whose device wrote here before
  /// gets that with its values, which a block lacks where the record was deleted.
  private func isNewcomer(_ peer: Hello, _ reading: Conversation.Reading) throws -> Bool {
    let takesParts = work.withLock { $0.features.takesParts && !$0.isPushUnpacked }
    guard takesParts, reading.after == 0, !configuration.isLeaf, !configuration.sendsOwnOnly,
      reading.held.entries.allSatisfy({ $0.site.device == peer.site.device })
    else { return false }
    guard peer.isLeaf else { return true }
    return try !store.hasChanges(of: peer.site.device, in: configuration.space)
  }

  private func found(_ block: Block?) {
    let judged = work.withLock { $0.judgedHorizon }
    let sound = block.flatMap { $0.arrival >= judged ? $0 : nil }
    let reader = sound.flatMap { try? BlockReader($0, on: store.options.disk) }
    work.withLock { $0.block = reader.map { .sending($0) } ?? .over }
    readOn()
  }

  /// Keeps a part of the push that is coming in on the disk, deflated as it came.
  func stage(_ part: PackedPart) throws {
    guard let peer else { return }
    guard let unpacked = part.unpacked() else { return violate("A part of a block is damaged.") }
    work.withLock { $0.stagedCount += 1 }
    let isBeyond = try store.stage(part, unpacked, from: peer.site, in: configuration.space)
    if isBeyond { work.withLock { $0.arePartsBeyond = true } }
  }
}
