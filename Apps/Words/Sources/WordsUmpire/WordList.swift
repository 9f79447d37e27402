import Foundation
public import WordsCore

/// The lists of words of a machine, as Debian's packages put them there.
public enum WordList {
  /// The lists that are taken if nobody names others.
  public static let usual = ["american-english", "ngerman"]
  private static let folder = "/usr/share/dict"
  private static let bytesMax = 64 << 20

  /// Reads lists by their names, such as `french`, or by their paths; if none is named, the usual
  /// ones that there are.
  ///
  /// - Throws: a sentence that names the remedy.
  public static func read(_ names: [String]) throws -> [(name: String, lexicon: Lexicon)] {
    let wanted =
      names.isEmpty ? usual.filter { FileManager.default.isReadableFile(atPath: path($0)) } : names
    guard !wanted.isEmpty else {
      throw Refusal("No list of words is here. Install one: apt-get install wamerican wngerman.")
    }
    return try wanted.map { name in
      guard let file = FileHandle(forReadingAtPath: path(name)),
        let bytes = try? file.read(upToCount: bytesMax + 1)
      else {
        throw Refusal(
          "There is no list of words \(path(name)). Install its Debian package, such as wfrench, "
            + "or name a file."
        )
      }
      guard bytes.count <= bytesMax else {
        throw Refusal("\(path(name)) is larger than 64 MiB: it is no list of words.")
      }
      let lexicon = Lexicon([UInt8](bytes))
      do throws(WordError) {
        _ = try Deal(from: lexicon, seed: 0)
      } catch { throw Refusal("\(path(name)): \(error.description)") }
      return (URL(filePath: name).lastPathComponent, lexicon)
    }
  }

  private static func path(_ name: String) -> String {
    name.contains("/") ? name : "\(folder)/\(name)"
  }
}
