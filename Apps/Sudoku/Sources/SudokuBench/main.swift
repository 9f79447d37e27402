import SudokuCore

// Without words: solving and making. With "puzzles 2000": puzzles, one a line. With "grab FOLDER": photographs.
let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.count) {
case ("puzzles", 2):
  var generator = Generator(seed: 4)
  for number in 0..<(Int(words[1]) ?? 0) {
    print(generator.next(Grade.allCases[number % Grade.allCases.count]).clues.text)
  }
case ("grab", 2): try benchGrab(words[1])
default: try benchSolving()
}
