/// A name in a namespace, as elements and attributes have it.
@usableFromInline
struct QualifiedName: Hashable, Sendable {
  /// The name without its prefix.
  @usableFromInline let local: String
  /// The address of the namespace; the prefix itself where nothing binds that, nil for none.
  @usableFromInline let namespace: String?
}

/// Numbers for the names of one document.
///
/// libxml2 keeps each name once, in a dictionary that lives as long as its parser: two pointers say
/// which name it is, without comparing letters.
struct NameTable {
  private(set) var names: [QualifiedName] = []
  private var slots: UnsafeMutablePointer<Slot>
  private var mask = 255

  private struct Slot: BitwiseCopyable {
    var local: UnsafePointer<UInt8>?
    var namespace: UnsafePointer<UInt8>?
    var number: Int32
  }

  /// Whether there are more names than are allowed.
  private(set) var isOverfull = false
  private let countMax: Int

  init(countMax: Int) {
    self.countMax = countMax
    slots = Self.empty(256)
  }

  func deallocate() { slots.deallocate() }

  /// The number of a name.
  @inline(__always)
  mutating func number(
    _ local: UnsafePointer<UInt8>, _ namespace: UnsafePointer<UInt8>?
  ) -> Int32 {
    var index = Self.hash(local, namespace) & mask
    while let found = slots[index].local {
      if found == local, slots[index].namespace == namespace { return slots[index].number }
      index = (index &+ 1) & mask
    }
    return insert(local, namespace)
  }

  @inline(never)
  private mutating func insert(
    _ local: UnsafePointer<UInt8>, _ namespace: UnsafePointer<UInt8>?
  ) -> Int32 {
    let number = Int32(names.count)
    names.append(
      QualifiedName(
        local: String(cString: local), namespace: namespace.map { String(cString: $0) }))
    isOverfull = names.count > countMax
    if names.count * 2 > mask {
      let (old, oldCount) = (slots, mask + 1)
      mask = oldCount * 2 - 1
      slots = Self.empty(mask + 1)
      for index in 0..<oldCount where old[index].local != nil { place(old[index]) }
      old.deallocate()
    }
    place(Slot(local: local, namespace: namespace, number: number))
    return number
  }

  private func place(_ slot: Slot) {
    guard let local = slot.local else { return }
    var index = Self.hash(local, slot.namespace) & mask
    while slots[index].local != nil { index = (index &+ 1) & mask }
    slots[index] = slot
  }

  @inline(__always)
  private static func hash(
    _ local: UnsafePointer<UInt8>, _ namespace: UnsafePointer<UInt8>?
  ) -> Int {
    let mixed = UInt(bitPattern: local) &+ UInt(bitPattern: namespace) &* 31
    return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 40)
  }

  private static func empty(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(local: nil, namespace: nil, number: 0), count: count)
    return slots
  }
}
