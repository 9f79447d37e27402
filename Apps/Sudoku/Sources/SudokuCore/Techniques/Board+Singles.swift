extension Board {
  func hiddenSingle() -> Step? {
    for house in House.boxesFirst {
      var (once, twice): (UInt16, UInt16) = (0, 0)
      for cell in house.cells {
        twice |= once & masks[cell]
        once |= masks[cell]
      }
      guard let digit = Self.digits(once & ~twice).first,
        let cell = places(digit, in: house).first
      else { continue }
      let mark = Mark(cell, digit)
      return Step(technique: .hiddenSingle, placed: mark, shown: [mark], houses: [house])
    }
    return nil
  }

  func nakedSingle() -> Step? {
    guard let cell = masks.firstIndex(where: { $0.nonzeroBitCount == 1 }) else { return nil }
    let mark = Mark(cell, Self.digits(masks[cell])[0])
    return Step(technique: .nakedSingle, placed: mark, shown: [mark])
  }
}
