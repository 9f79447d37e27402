import Foundation

/// Verbs that other programs bring: `reunion-VERB`, in the folder of this program and nowhere else.
///
/// So a verb that needs a library of its own links it alone, and no program of that name in the search
/// path or in the folder where somebody stands is ever started.
enum InstalledVerbs {
  private static let prefix = "reunion-"

  private static var folder: URL? {
    Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Their names, in order.
  static var names: [String] {
    guard let folder,
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    return files.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .filter { isName($0) && isProgram(path(of: $0, in: folder)) }.sorted()
  }

  /// Lines for the help; empty if no program is installed.
  static var help: String {
    let lines = names.map { "\n  \($0): reunion-\($0)" }
    return lines.isEmpty
      ? ""
      : "\n\nProgram\(lines.count == 1 ? "" : "s") installed beside this one:"
        + lines.joined()
  }

  /// Becomes the program of the verb that the words name, where this command has no such verb.
  ///
  /// Returns if there is no such program. Call it while no signal is held: the program inherits
  /// that.
  static func runIfAsked(
    _ words: [String], known: (_ verb: String) -> Bool
  ) throws(CommandFailure) {
    let front = words.prefix { $0 != "--" }
    guard let at = front.firstIndex(where: { !$0.hasPrefix("-") }) else { return }
    var rest = words
    var verb = rest.remove(at: at)
    if verb == "help" {
      guard at < rest.count, isName(rest[at]) else { return }
      verb = rest.remove(at: at)
      rest.append("--help")
    }
    guard isName(verb), !known(verb), let folder, isProgram(path(of: verb, in: folder)) else {
      return
    }
    let path = path(of: verb, in: folder)
    var arguments = ([path] + rest).map { strdup($0) } + [nil]
    execv(path, &arguments)
    let reason = String(cString: strerror(errno))
    for argument in arguments { free(argument) }
    throw CommandFailure(1, "\(path) could not be started: \(reason). Install it anew.")
  }

  private static func path(of verb: String, in folder: URL) -> String {
    folder.appending(path: prefix + verb).path
  }

  /// Letters, digits and dashes: a verb names no path.
  private static func isName(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix("-")
      && word.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d
      }
  }

  private static func isProgram(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: path)
  }
}
