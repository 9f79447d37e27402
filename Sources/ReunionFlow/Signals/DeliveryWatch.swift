import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Names an observer that has not returned for a second or two: all that follows its turn waits for it.
///
/// A delivery takes a place in a table for as long as it lasts, and a timer looks twice, a second apart,
/// whether the same one is there; while nothing is delivered there is no timer. What blocks is named once,
/// on standard error. *Cost*: an exchange, two stores and an addition, all atomic, for each delivery. One that
/// finds the four places taken at which it looks is not watched.
enum DeliveryWatch {
  /// What is done with a sentence about an observer that blocks; tests listen here.
  static let report = Lock<@Sendable (String) -> Void>(write)

  private static let slotCount = 64
  private static let slots = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    for place in 0..<slotCount { (slots + place).initialize(to: Slot()) }
    return Slots(first: slots)
  }()
  private static let isLooking = Atomic(false)
  /// What was found when the timer last stopped.
  private static let lastLook = Lock(DeliveryLook(counts: Array(repeating: 0, count: slotCount)))
  private static let queue = DispatchQueue(label: "reunion.flow.deliveries", qos: .utility)

  /// A delivery under way, as the table has it.
  private struct Slot: ~Copyable {
    /// Odd while a delivery is under way, and another number for each.
    let count = Atomic<UInt>(0)
    let file = Atomic<UInt>(0)
    let line = Atomic<UInt>(0)
    // So that threads do not write to one line of the processor's cache.
    private let padding: (UInt, UInt, UInt, UInt, UInt) = (0, 0, 0, 0, 0)
  }

  /// The table, which is never freed.
  private struct Slots: @unchecked Sendable {
    let first: UnsafeMutablePointer<Slot>
  }

  /// Runs a delivery that is watched.
  @inline(__always)
  static func during(_ site: CallSite, _ body: () -> Void) {
    let place = begin(site)
    body()
    end(place)
  }

  private static func begin(_ site: CallSite) -> Int? {
    var place = Int(bitPattern: threadBits) & (slotCount - 1)
    for _ in 0..<4 {
      let slot = slots.first + place
      let count = slot.pointee.count.load(ordering: .relaxed)
      if count & 1 == 0,
        slot.pointee.count.compareExchange(
          expected: count, desired: count &+ 1, ordering: .acquiringAndReleasing
        ).exchanged
      {
        slot.pointee.file.store(site.file, ordering: .relaxed)
        slot.pointee.line.store(site.line, ordering: .releasing)
        if !isLooking.load(ordering: .relaxed) { beginLooking() }
        return place
      }
      place = (place + 1) & (slotCount - 1)
    }
    return nil
  }

  private static func end(_ place: Int?) {
    guard let place else { return }
    (slots.first + place).pointee.count.wrappingAdd(1, ordering: .releasing)
  }

  /// Where in the table a thread begins to look for a place.
  private static var threadBits: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self()) >> 12
    #else
      UInt(pthread_self()) >> 12
    #endif
  }

  // The timer.

  private static func beginLooking() {
    let isFirst = isLooking.compareExchange(
      expected: false, desired: true, ordering: .sequentiallyConsistent
    ).exchanged
    guard isFirst else { return }
    let look = lastLook.withLock { look in
      // Whom the last look knew to block is not named anew.
      _ = look.next(counts())
      return look
    }
    self.look(after: look)
  }

  private static func counts() -> [UInt] {
    (0..<slotCount).map { (slots.first + $0).pointee.count.load(ordering: .acquiring) }
  }

  private static func look(after last: DeliveryLook) {
    queue.asyncAfter(deadline: .now() + .seconds(1)) {
      var look = last
      let now = counts()
      let (blocking, isQuiet) = look.next(now)
      for place in blocking { name(place, at: now[place]) }
      guard isQuiet else { return self.look(after: look) }
      lastLook.withLock { $0 = look }
      isLooking.store(false, ordering: .sequentiallyConsistent)
      if counts() != now { beginLooking() }
    }
  }

  private static func name(_ place: Int, at count: UInt) {
    let slot = slots.first + place
    let site = CallSite(
      file: slot.pointee.file.load(ordering: .acquiring),
      line: slot.pointee.line.load(ordering: .acquiring))
    // Another has the place by now.
    guard slot.pointee.count.load(ordering: .acquiring) == count else { return }
    report.withLock { $0 }(
      "Reunion: the observer of \(site) has not returned for a second. What follows waits for it, sync "
        + "too: let it start a task for what takes long.")
  }

  @Sendable private static func write(_ sentence: String) {
    let line = Array((sentence + "\n").utf8)
    line.withUnsafeBytes { bytes in
      #if canImport(Darwin)
        _ = Darwin.write(2, bytes.baseAddress, bytes.count)
      #else
        _ = Glibc.write(2, bytes.baseAddress, bytes.count)
      #endif
    }
  }
}

/// What a look at the places of deliveries has shown: a number for each, odd while a delivery is under way,
/// and another for each delivery.
struct DeliveryLook: Equatable {
  var counts: [UInt]
  /// The places whose deliveries were found to block.
  var named: Set<Int> = []

  /// Takes the next look: the places where the delivery of the look before still is, once each, and whether
  /// nothing is left that a further look could show.
  mutating func next(_ now: [UInt]) -> (blocking: [Int], isQuiet: Bool) {
    let underWay = now.indices.filter { now[$0] & 1 == 1 }
    let still = underWay.filter { now[$0] == counts[$0] }
    let blocking = still.filter { !named.contains($0) }
    let isQuiet = now == counts && still.count == underWay.count
    self = DeliveryLook(counts: now, named: Set(still))
    return (blocking, isQuiet)
  }
}
