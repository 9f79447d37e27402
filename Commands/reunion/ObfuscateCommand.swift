import Foundation
import ReunionKeys

/// `reunion obfuscate`: Swift source that holds keys masked, for projects without the build plugin.
enum ObfuscateCommand {
  private static let help = """
    Usage: reunion obfuscate KEYS [--type NAME] [--out FILE] [--json]

    Writes Swift source with an enum NAME (Keys) of the keys in the file KEYS, or - for standard
    input, each as the XOR with a random pad that is new in each run. The app needs the
    library ReunionKeys, and writes Keys.weather.withBytes { … }. A line of KEYS is one of

      weather = the key itself
      weather = env:WEATHER_KEY
      weather = base64:AAECAwQF

    Keep KEYS out of version control. This hides keys from strings and bots, but not from anyone with
    a debugger: the guide keys.md says what to do instead.

    Without --out, or with -, the source goes to standard output; with --json it is the field "source".

    Exit codes: 0 done, 1 a file could not be read or written, 2 the keys are not understood.
    """

  static let verb = Verb("obfuscate", help: help, isPrivate: false) { arguments, output, _ in
    try run(&arguments, output)
  }

  private static func run(_ arguments: inout Arguments, _ output: Output) throws {
    let type = try arguments.value(of: "--type") ?? "Keys"
    let target = try arguments.value(of: "--out")
    let path = try arguments.rest(1...1, or: "Say which file has the keys.")[0]
    let bytes = try InputFile(path).rest(bytesMax: 16 << 20)
    let list: KeyList
    let source: String
    do throws(KeyList.Failure) {
      list = try KeyList(
        String(decoding: bytes, as: UTF8.self), environment: ProcessInfo.processInfo.environment)
      var random = SystemRandomNumberGenerator()
      source = try list.source(type: type, using: &random)
    } catch {
      throw CommandFailure(2, error.description)
    }
    guard let target, target != "-" else {
      return output.hand(out: "source", source, ["keys": list.keys.count])
    }
    try OutputFile.write(Array(source.utf8), to: target)
    output.say(
      ["file": target, "keys": list.keys.count],
      "\(target): \(list.keys.count.counted("key")), masked.")
  }
}
