import Foundation
import ReunionKeys

/// `reunion obfuscate`: Swift source that holds keys masked, for projects without the build plugin.
enum ObfuscateCommand {
  static let help = """
    Usage: reunion obfuscate KEYS [--type NAME] [--out FILE] [--json]

    Writes Swift source with an enum NAME (Keys) of the keys in the file KEYS, or - for standard
    input, each as the XOR with a random pad that is made anew at each run. The app needs the
    library ReunionKeys, and writes Keys.weather.withBytes { … }. A line of KEYS is one of

      weather = the key itself
      weather = env:WEATHER_KEY
      weather = base64:AAECAwQF

    Keep KEYS out of version control. This keeps keys from strings and bots and from nobody who has
    a debugger: docs/keys.md says what to do instead.

    Exit codes: 0 done, 1 a file could not be read or written, 2 the keys are not understood.
    """

  static func run(_ arguments: [String], _ output: Output, _ wantsHelp: Bool) throws {
    guard !wantsHelp else { return print(help) }
    var (type, target): (String, String?) = ("Keys", nil)
    var words: [String] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--type", "--out":
        guard let value = rest.popFirst() else { throw CommandFailure(2, "\(word) needs a value.") }
        if word == "--type" { type = value } else { target = value }
      case _ where word.hasPrefix("-") && word != "-":
        throw CommandFailure(2, "\(word) is not an option of obfuscate. See --help.")
      default: words.append(word)
      }
    }
    guard words.count == 1 else {
      throw CommandFailure(2, "Say which file has the keys.\n\n\(help)")
    }
    let list: KeyList
    let source: String
    do {
      list = try KeyList(try text(of: words[0]), environment: ProcessInfo.processInfo.environment)
      var random = SystemRandomNumberGenerator()
      source = try list.source(type: type, using: &random)
    } catch let failure as KeyList.Failure {
      throw CommandFailure(2, failure.description)
    }
    guard let target else {
      FileHandle.standardOutput.write(Data(source.utf8))
      return
    }
    do {
      try Data(source.utf8).write(to: URL(filePath: target), options: .atomic)
    } catch {
      throw CommandFailure(1, "\(target) could not be written: \(error.localizedDescription)")
    }
    output.say(
      ["file": target, "keys": list.keys.count], "\(target): \(list.keys.count) keys, masked.")
  }

  private static func text(of path: String) throws -> String {
    do {
      let bytes =
        path == "-"
        ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: URL(filePath: path))
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw CommandFailure(1, "\(path) could not be read: \(error.localizedDescription)")
    }
  }
}
