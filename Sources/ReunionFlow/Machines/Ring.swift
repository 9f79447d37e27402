/// The last elements of many, in memory that is allocated once.
///
/// Whoever owns it must destroy it.
@usableFromInline
struct Ring<Element> {
  @usableFromInline let capacity: Int
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline var count = 0
  /// Where the next one goes.
  @usableFromInline var next = 0

  init(capacity: Int) {
    self.capacity = max(0, capacity)
    slots = .allocate(capacity: self.capacity)
  }

  @inlinable
  mutating func append(_ element: Element) {
    guard capacity > 0 else { return }
    if count == capacity {
      slots[next] = element
    } else {
      (slots + next).initialize(to: element)
      count += 1
    }
    next += 1
    if next == capacity { next = 0 }
  }

  /// Oldest first.
  var all: [Element] {
    let oldest = count == capacity ? next : 0
    return (0..<count).map { slots[(oldest + $0) % capacity] }
  }

  func destroy() {
    slots.deinitialize(count: count)
    slots.deallocate()
  }
}
