/// A name in a namespace, as elements and attributes have it.
struct QualifiedName: Hashable, Sendable {
  /// The name without its prefix.
  let local: String
  /// The address of the namespace; the prefix itself where nothing binds that, nil for none.
  let namespace: String?
}

/// Numbers for the names of one document.
///
/// libxml2 keeps each name once, in a dictionary that lives as long as its parser: two pointers say
/// which name it is, without comparing letters.
struct NameTable {
  private(set) var names: [QualifiedName] = []
  private var slots: UnsafeMutablePointer<Slot>
  private var slotCount = 256

  private struct Slot: BitwiseCopyable {
    var local: UnsafePointer<UInt8>?
    var namespace: UnsafePointer<UInt8>?
    var number: Int32
  }

  init() { slots = Self.empty(256) }

  func deallocate() { slots.deallocate() }

  /// The number of a name.
  @inline(__always)
  mutating func number(
    _ local: UnsafePointer<UInt8>, _ namespace: UnsafePointer<UInt8>?
  ) -> Int32 {
    let mask = slotCount - 1
    var index = Self.hash(local, namespace) & mask
    while let found = slots[index].local {
      if found == local, slots[index].namespace == namespace { return slots[index].number }
      index = (index + 1) & mask
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
    if names.count * 2 > slotCount {
      let (old, oldCount) = (slots, slotCount)
      slotCount *= 2
      slots = Self.empty(slotCount)
      for index in 0..<oldCount where old[index].local != nil { place(old[index]) }
      old.deallocate()
    }
    place(Slot(local: local, namespace: namespace, number: number))
    return number
  }

  private func place(_ slot: Slot) {
    guard let local = slot.local else { return }
    var index = Self.hash(local, slot.namespace) & (slotCount - 1)
    while slots[index].local != nil { index = (index + 1) & (slotCount - 1) }
    slots[index] = slot
  }

  @inline(__always)
  private static func hash(
    _ local: UnsafePointer<UInt8>, _ namespace: UnsafePointer<UInt8>?
  ) -> Int {
    let mixed = Int(bitPattern: local) &* 31 &+ Int(bitPattern: namespace)
    return (mixed &* 0x1E37_79B9_7F4A_7C15) >> 40 & 0xFF_FFFF
  }

  private static func empty(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(local: nil, namespace: nil, number: 0), count: count)
    return slots
  }
}
