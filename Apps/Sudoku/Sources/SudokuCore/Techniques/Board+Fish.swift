extension Board {
  /// X-wing (2) and swordfish (3): a digit that size lines confine to size crossing lines.
  func fish(_ size: Int, _ technique: Technique) -> Step? {
    for digit in 1...9 {
      for (lines, across) in [(House.rows, House.columns), (House.columns, House.rows)] {
        let spots = lines.map { self.spots(digit, in: $0) }
        let step: Step? = firstUnion(of: spots, size: size) { picked, union in
          guard union.nonzeroBitCount == size else { return nil }
          let base = picked.map { lines[$0] }
          let cover = Self.digits(union).map { across[$0 - 1] }
          let inside = base.flatMap { $0.cells }
          let outside = cover.flatMap { $0.cells }.filter { !inside.contains($0) }
          let removed = marks(Self.bit(digit), in: outside)
          guard !removed.isEmpty else { return nil }
          return Step(
            technique: technique, removed: removed, shown: marks(Self.bit(digit), in: inside),
            houses: base + cover)
        }
        if let step { return step }
      }
    }
    return nil
  }

  func xyWing() -> Step? {
    let pairs = (0..<81).filter { masks[$0].nonzeroBitCount == 2 }
    for pivot in pairs {
      let wings = pairs.filter {
        House.see(pivot, $0) && (masks[$0] & masks[pivot]).nonzeroBitCount == 1
      }
      for first in wings {
        for second in wings where second > first {
          let shared = masks[first] & masks[second]
          guard shared.nonzeroBitCount == 1, shared & masks[pivot] == 0,
            masks[first] & masks[pivot] != masks[second] & masks[pivot]
          else { continue }
          let removed = marks(
            shared, in: (0..<81).filter { House.see($0, first) && House.see($0, second) })
          guard !removed.isEmpty else { continue }
          return Step(
            technique: .xyWing, removed: removed,
            shown: marks(Self.all, in: [pivot, first, second]))
        }
      }
    }
    return nil
  }
}
