import CSQLite
import ReunionFlow

/// What the connections of one process share of a database file: its lock, and the memory and the
/// slots of locks of a write-ahead log.
final class SharedFile: @unchecked Sendable {
  private struct State {
    var readers = 0
    var isReserved = false
    var isPending = false
    var isExclusive = false
    var sharedSlots = [Int](repeating: 0, count: 32)
    var ownSlots: UInt32 = 0
    var regions: [UnsafeMutableRawPointer] = []
  }

  private let state = Lock(State())

  deinit {
    for region in state.withLock({ $0.regions }) { region.deallocate() }
  }

  var isReserved: Bool { state.withLock { $0.isReserved } }

  /// Raises one connection's level of lock; says what it has then.
  func raise(from level: Int32, to wanted: Int32) -> (status: Int32, level: Int32) {
    state.withLock { state in
      switch wanted {
      case SQLITE_LOCK_SHARED:
        guard !state.isPending, !state.isExclusive else { return (SQLITE_BUSY, level) }
        state.readers += 1
        return (SQLITE_OK, wanted)
      case SQLITE_LOCK_RESERVED:
        guard !state.isReserved else { return (SQLITE_BUSY, level) }
        state.isReserved = true
        return (SQLITE_OK, wanted)
      default:
        guard level >= SQLITE_LOCK_RESERVED || !state.isReserved else {
          return (SQLITE_BUSY, level)
        }
        state.isReserved = true
        state.isPending = true
        guard wanted == SQLITE_LOCK_EXCLUSIVE, state.readers == 1 else {
          return (
            wanted == SQLITE_LOCK_PENDING ? SQLITE_OK : SQLITE_BUSY, SQLITE_LOCK_PENDING
          )
        }
        state.isExclusive = true
        return (SQLITE_OK, wanted)
      }
    }
  }

  /// Lowers one connection's level of lock, to shared or none.
  func lower(from level: Int32, to wanted: Int32) {
    state.withLock { state in
      if level >= SQLITE_LOCK_RESERVED { state.isReserved = false }
      if level >= SQLITE_LOCK_PENDING { state.isPending = false }
      if level >= SQLITE_LOCK_EXCLUSIVE { state.isExclusive = false }
      if wanted == SQLITE_LOCK_NONE { state.readers -= 1 }
    }
  }

  /// A region of the shared memory; nil where it is not there and is not to be made.
  func region(_ index: Int32, _ size: Int32, extends: Bool) -> UnsafeMutableRawPointer? {
    state.withLock { state in
      while extends && state.regions.count <= Int(index) {
        let region = UnsafeMutableRawPointer.allocate(byteCount: Int(size), alignment: 16)
        region.initializeMemory(as: UInt8.self, repeating: 0, count: Int(size))
        state.regions.append(region)
      }
      return Int(index) < state.regions.count ? state.regions[Int(index)] : nil
    }
  }

  /// Takes slots, shared or for one alone; false where others hold them.
  func take(_ slots: UInt32, isShared: Bool) -> Bool {
    state.withLock { state in
      guard state.ownSlots & slots == 0 else { return false }
      let indices = (0..<32).filter { slots >> UInt32($0) & 1 == 1 }
      if isShared {
        for index in indices { state.sharedSlots[index] += 1 }
      } else {
        guard indices.allSatisfy({ state.sharedSlots[$0] == 0 }) else { return false }
        state.ownSlots |= slots
      }
      return true
    }
  }

  /// Gives slots back.
  func release(shared: UInt32, own: UInt32) {
    state.withLock { state in
      for index in 0..<32 where shared >> UInt32(index) & 1 == 1 { state.sharedSlots[index] -= 1 }
      state.ownSlots &= ~own
    }
  }

  /// Orders what one thread wrote before what another reads.
  func barrier() { state.withLock { _ in } }
}
