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
      var step = Step(technique: .hiddenSingle, placed: Mark(cell, digit))
      step.shown = [Mark(cell, digit)]
      step.houses = [house]
      return step
    }
    return nil
  }

  func nakedSingle() -> Step? {
    guard let cell = masks.firstIndex(where: { $0.nonzeroBitCount == 1 }) else { return nil }
    let digit = Self.digits(masks[cell])[0]
    var step = Step(technique: .nakedSingle, placed: Mark(cell, digit))
    step.shown = [Mark(cell, digit)]
    return step
  }
}
