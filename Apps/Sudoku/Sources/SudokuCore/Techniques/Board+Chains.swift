extension Board {
  /// The candidate whose contradiction is reached by the fewest singles.
  func chain() -> Step? {
    var best: Step?
    for cell in 0..<81 {
      for digit in candidates(cell) {
        let most = (best?.shown.count ?? 82) - 1
        guard let links = contradiction(of: Mark(cell, digit), linksMax: most) else { continue }
        best = Step(technique: .chain, removed: [Mark(cell, digit)], shown: links)
      }
    }
    return best
  }

  /// The marks that follow from one by singles, up to a contradiction; nil if none comes in time.
  private func contradiction(of mark: Mark, linksMax: Int) -> [Mark]? {
    guard linksMax > 0 else { return nil }
    var board = self
    board.place(mark)
    var links = [mark]
    while !board.isBroken {
      guard links.count < linksMax, let step = board.nakedSingle() ?? board.hiddenSingle(),
        let placed = step.placed
      else { return nil }
      board.place(placed)
      links.append(placed)
    }
    return links
  }

  /// What only a search refutes: a wrong candidate of the cell with the fewest.
  func trial() -> Step? {
    var search = Search(branchesMax: 200_000, solutionsMax: 1, random: nil)
    search.run(grid)
    guard let solution = search.found.first else { return nil }
    let open = (0..<81).filter { masks[$0].nonzeroBitCount > 1 && has(Int(solution[$0]), $0) }
    guard let cell = open.min(by: { masks[$0].nonzeroBitCount < masks[$1].nonzeroBitCount }),
      let digit = candidates(cell).first(where: { $0 != solution[cell] })
    else { return nil }
    return Step(
      technique: .trial, removed: [Mark(cell, digit)], shown: marks(Self.all, in: [cell]))
  }
}
