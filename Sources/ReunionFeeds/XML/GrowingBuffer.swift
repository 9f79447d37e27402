/// Memory that grows and never shrinks: what libxml2's callbacks append to, some millions of times.
///
/// It frees nothing by itself: its owner calls ``deallocate()``.
struct GrowingBuffer<Value: BitwiseCopyable> {
  private(set) var start: UnsafeMutablePointer<Value>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  func deallocate() { start.deallocate() }

  subscript(index: Int) -> Value {
    @inline(__always) get { start[index] }
    @inline(__always) nonmutating set { start[index] = newValue }
  }

  @inline(__always) mutating func removeAll() { count = 0 }

  @inline(__always) mutating func append(_ value: Value) {
    if count == capacity { grow(by: 1) }
    start[count] = value
    count += 1
  }

  @inline(__always) mutating func append(_ source: UnsafePointer<Value>, count added: Int) {
    if added > capacity - count { grow(by: added) }
    (start + count).update(from: source, count: added)
    count += added
  }

  @inline(never) private mutating func grow(by added: Int) {
    let larger = max(capacity * 2, count + added)
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: larger)
    memory.update(from: start, count: count)
    start.deallocate()
    start = memory
    capacity = larger
  }
}
