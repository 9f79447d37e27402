extension Board {
  /// X-wing (2) and swordfish (3): a digit that size lines confine to size crossing lines.
  func fish(_ size: Int, _ technique: Technique) -> Step? {
    for digit in 1...9 {
      for (lines, across) in [(House.rows, House.columns), (House.columns, House.rows)] {
        let spots = lines.map { line in
          line.cells.indices.reduce(into: 0 as UInt16) { mask, i in
            if has(digit, line.cells[i]) { mask |= 1 << i }
          }
        }
        let step: Step? = firstUnion(of: spots, size: size) { picked, union in
          guard union.nonzeroBitCount == size else { return nil }
          let base = picked.map { lines[$0] }
          let cover = Self.digits(union).map { across[$0 - 1] }
          let inside = base.flatMap { $0.cells }
          let removed = cover.flatMap { places(digit, in: $0) }.filter { !inside.contains($0) }
          guard !removed.isEmpty else { return nil }
          var step = Step(technique: technique, removed: removed.map { Mark($0, digit) })
          step.shown = inside.filter { has(digit, $0) }.map { Mark($0, digit) }
          step.houses = base + cover
          return step
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
          let digit = Self.digits(shared)[0]
          let removed = (0..<81).filter {
            has(digit, $0) && House.see($0, first) && House.see($0, second)
          }
          guard !removed.isEmpty else { continue }
          var step = Step(technique: .xyWing, removed: removed.map { Mark($0, digit) })
          step.shown = marks(0x1FF, in: [pivot, first, second])
          return step
        }
      }
    }
    return nil
  }
}
