/// Solves by trying each digit that no row, column or box has yet: nothing of it is shared with SudokuCore.
enum PlainSolver {
  static func solutions(of cells: [Int], limit: Int) -> [[Int]] {
    var cells = cells
    var found: [[Int]] = []
    func options(_ at: Int) -> [Int] {
      let (row, column) = (at / 9, at % 9)
      var used = [Bool](repeating: false, count: 10)
      for i in 0..<9 {
        used[cells[row * 9 + i]] = true
        used[cells[i * 9 + column]] = true
        used[cells[(row - row % 3 + i / 3) * 9 + column - column % 3 + i % 3]] = true
      }
      return (1...9).filter { !used[$0] }
    }
    func go() {
      var fewest: (at: Int, options: [Int])?
      for at in 0..<81 where cells[at] == 0 {
        let these = options(at)
        if these.count < fewest?.options.count ?? 10 { fewest = (at, these) }
      }
      guard let fewest else {
        found.append(cells)
        return
      }
      for digit in fewest.options where found.count < limit {
        cells[fewest.at] = digit
        go()
        cells[fewest.at] = 0
      }
    }
    go()
    return found
  }
}
