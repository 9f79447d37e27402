/// What is wrong in a model's files, where, and the line to write instead.
package struct ModelProblem: Error, Hashable, CustomStringConvertible {
  /// The file, as it was named.
  package var file: String
  /// The line, from 1 on.
  package var line: Int
  /// The character in the line, from 1 on.
  package var column: Int
  /// What is wrong, in a sentence.
  package var sentence: String
  /// The line that would be right; nil if nobody can tell.
  package var instead: String?

  /// As compilers say it, so that an editor leads there.
  package var description: String {
    "\(file):\(line):\(column): error: \(sentence)" + (instead.map { " Write: \($0)" } ?? "")
  }
}
