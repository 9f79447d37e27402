/// Memory that grows and never shrinks: what libxml2's callbacks append to, some millions of times.
///
/// It frees nothing by itself: its owner calls ``deallocate()``.
@usableFromInline
struct GrowingBuffer<Value: BitwiseCopyable> {
  @usableFromInline private(set) var start: UnsafeMutablePointer<Value>
  @usableFromInline private(set) var count = 0
  private(set) var capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  func deallocate() { start.deallocate() }

  @inlinable subscript(index: Int) -> Value {
    @inline(__always) get { start[index] }
    @inline(__always) nonmutating set { start[index] = newValue }
  }

  @inline(__always) mutating func removeAll() { count = 0 }

  // The sums below cannot overflow: what is counted is in memory.

  @inline(__always) mutating func append(_ value: Value) {
    if count == capacity { grow(by: 1) }
    (start + count).initialize(to: value)
    count &+= 1
  }

  @inline(__always) mutating func append(_ source: UnsafePointer<Value>, count added: Int) {
    if added > capacity &- count { grow(by: added) }
    (start + count).initialize(from: source, count: added)
    count &+= added
  }

  @inline(never) private mutating func grow(by added: Int) {
    let larger = max(capacity * 2, count + added)
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: larger)
    memory.initialize(from: start, count: count)
    start.deallocate()
    start = memory
    capacity = larger
  }
}
