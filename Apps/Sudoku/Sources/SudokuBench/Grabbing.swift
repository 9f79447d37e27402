import Foundation
import SudokuCore
import SudokuGrab

/// Reads each photograph of a folder that photographs.py made, and says how it went.
func benchGrab(_ folder: String) throws {
  let truth = try String(contentsOfFile: folder + "/truth.txt", encoding: .utf8)
  var rows: [String: [String: Int]] = [:]
  var (sudokus, others) = (Times(), Times())
  for line in truth.split(separator: "\n") {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 3,
      let file = FileManager.default.contents(atPath: folder + "/" + words[0])
    else { continue }
    let (bytes, isNone) = ([UInt8](file), words[2] == "none")
    let read = { Reading(try Photograph(pnm: bytes)) }
    let reading = try isNone ? others.add(read) : sudokus.add(read)
    let outcome: String
    if let reading {
      let isRight = reading.grid.text == words[2]
      outcome =
        isNone
        ? (reading.isSure ? "SURE" : reading.isPuzzle ? "TAKEN" : "grid, no puzzle")
        : isRight
          ? (reading.isSure ? "right, sure" : "right, with doubts")
          : reading.isSure ? "SILENTLY WRONG" : reading.isPuzzle ? "wrong, doubts" : "not a puzzle"
    } else {
      outcome = "no grid"
    }
    rows[words[1], default: [:]][outcome, default: 0] += 1
  }
  for (kind, outcomes) in rows.sorted(by: { $0.key < $1.key }) {
    let all = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("\(kind): \(all.joined(separator: ", "))")
  }
  print("a photograph of a Sudoku: \(sudokus.line)")
  print("a page that is none: \(others.line)")
}
