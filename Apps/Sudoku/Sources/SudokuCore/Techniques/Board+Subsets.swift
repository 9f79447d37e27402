extension Board {
  func lockedCandidates() -> Step? {
    for crossing in Crossing.all {
      let (inside, outside) = (union(of: crossing.innerOnly), union(of: crossing.outerOnly))
      let locked = union(of: crossing.shared) & ~inside & outside
      guard let digit = Self.digits(locked).first else { continue }
      let bit = Self.bit(digit)
      return Step(
        technique: .lockedCandidates, removed: marks(bit, in: crossing.outerOnly),
        shown: marks(bit, in: crossing.shared), houses: [crossing.inner, crossing.outer])
    }
    return nil
  }

  private func union(of cells: [Int]) -> UInt16 { cells.reduce(0) { $0 | masks[$1] } }

  func nakedSubset(_ size: Int, _ technique: Technique) -> Step? {
    for house in House.all {
      let open = house.cells.filter { masks[$0].nonzeroBitCount > 1 }
      let step: Step? = firstUnion(of: open.map { masks[$0] }, size: size) { picked, union in
        guard union.nonzeroBitCount == size else { return nil }
        let cells = picked.map { open[$0] }
        let removed = marks(union, in: open.filter { !cells.contains($0) })
        guard !removed.isEmpty else { return nil }
        return Step(
          technique: technique, removed: removed, shown: marks(union, in: cells), houses: [house])
      }
      if let step { return step }
    }
    return nil
  }

  func hiddenSubset(_ size: Int, _ technique: Technique) -> Step? {
    for house in House.all {
      let spots = (1...9).map { self.spots($0, in: house) }
      let step: Step? = firstUnion(of: spots, size: size) { picked, union in
        guard union.nonzeroBitCount == size else { return nil }
        let chosen = picked.reduce(into: 0 as UInt16) { $0 |= 1 << $1 }
        let kept = Self.digits(union).map { house.cells[$0 - 1] }
        let removed = marks(~chosen, in: kept)
        guard !removed.isEmpty else { return nil }
        return Step(
          technique: technique, removed: removed, shown: marks(chosen, in: kept), houses: [house])
      }
      if let step { return step }
    }
    return nil
  }
}

/// Two houses, a box and a line, that share three cells.
private struct Crossing {
  let inner: House
  let outer: House
  let shared: [Int]
  let innerOnly: [Int]
  let outerOnly: [Int]

  static let all: [Crossing] = House.boxes.flatMap { box in
    (House.rows + House.columns).flatMap { line in
      [(box, line), (line, box)].compactMap { inner, outer in
        let shared = inner.cells.filter(outer.cells.contains)
        guard !shared.isEmpty else { return nil }
        return Crossing(
          inner: inner, outer: outer, shared: shared,
          innerOnly: inner.cells.filter { !shared.contains($0) },
          outerOnly: outer.cells.filter { !shared.contains($0) })
      }
    }
  }
}
