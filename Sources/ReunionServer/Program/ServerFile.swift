import Foundation

/// A file that wires a server, `reunion.json5`: JSON5, so with comments and commas at ends.
///
/// Each key stands for an option of the command, and is read as that is: there is one meaning of both, and
/// the command's own options win. An unknown key is an error that names the nearest.
struct ServerFile {
  /// A key of the file, and the option that it stands for.
  struct Key: Sendable, Hashable {
    /// The kind of value that a key has.
    enum Kind: Sendable { case text, number, flag, path, texts, paths }

    let name: String
    let option: String
    let kind: Kind
  }

  /// The keys that every server has.
  static let keys = [
    Key(name: "listen.host", option: "--address", kind: .text),
    Key(name: "listen.port", option: "--port", kind: .number),
    Key(name: "publicURL", option: "--public-url", kind: .text),
    Key(name: "hostName", option: "--host", kind: .text),
    Key(name: "proxies", option: "--proxy", kind: .texts),
    Key(name: "storage.folder", option: "--data", kind: .path),
    Key(name: "limits.guestDailyMegabytes", option: "--guest-daily-mb", kind: .number),
    Key(name: "limits.guestDailyUploads", option: "--guest-daily-uploads", kind: .number),
    Key(name: "limits.silentDays", option: "--silent-days", kind: .number),
    Key(name: "pages.folders", option: "--page", kind: .paths),
    Key(name: "pages.library", option: "--library", kind: .path),
  ]

  /// An option with its value, and the key that it came from.
  struct Option: Equatable {
    let option: String
    let value: String?
    let key: String
  }

  let path: String
  /// What it says, in the order of its keys' names.
  private(set) var options: [Option] = []

  /// Reads a file that may have these keys.
  ///
  /// - Throws: `badFile`, with a sentence that names the file, the key and the remedy.
  init(_ path: String, keys: [Key], environment: [String: String]) throws(ServerError) {
    self.path = path
    let tree = try Self.tree(path)
    guard case .object = tree else {
      throw Self.error("\(path) must begin with a brace: { listen: { port: 8080 } }.")
    }
    for (name, value) in tree.leaves(keys: Set(keys.map(\.name))) {
      guard let key = keys.first(where: { $0.name == name }) else {
        throw unknown(name, among: keys)
      }
      try take(value, for: key, environment)
    }
  }

  private static func tree(_ path: String) throws(ServerError) -> ConfigurationTree {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw error("There is no file \(path). Name an existing one with --config.")
    }
    guard !isFolder.boolValue else {
      throw error("\(path) is a folder. Name the file in it with --config.")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw error("\(path) cannot be read. Let this account read it.")
    }
    guard data.count <= 1 << 20 else {
      throw error("\(path) is larger than 1 MiB: it is not a server's configuration.")
    }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      return try decoder.decode(ConfigurationTree.self, from: data)
    } catch {
      throw Self.error("\(path) is not JSON5. Look for a missing comma, quote or brace.")
    }
  }

  private mutating func take(
    _ value: ConfigurationTree, for key: Key, _ environment: [String: String]
  ) throws(ServerError) {
    switch (key.kind, value) {
    case (.flag, .bool(let isOn)):
      if isOn { options.append(Option(option: key.option, value: nil, key: key.name)) }
    case (.number, .number(let number)):
      // Whole numbers as such: a port is none with a point.
      let text = Int64(exactly: number).map { "\($0)" } ?? "\(number)"
      add(text, for: key)
    case (.text, .text(let text)): add(text, for: key)
    case (.path, .text(let text)): add(resolved(text), for: key)
    case (.texts, .list(let list)), (.paths, .list(let list)):
      for item in list {
        guard case .text(let text) = item else { throw wrong(key, item) }
        add(key.kind == .paths ? resolved(text) : text, for: key)
      }
    case (.text, .object(let source)): add(try elsewhere(source, for: key, environment), for: key)
    default: throw wrong(key, value)
    }
  }

  private mutating func add(_ value: String, for key: Key) {
    options.append(Option(option: key.option, value: value, key: key.name))
  }

  /// A path as the file means it: from its own folder.
  private func resolved(_ text: String) -> String {
    guard !text.hasPrefix("/") else { return text }
    let folder = URL(filePath: path).deletingLastPathComponent()
    return folder.appending(path: text).standardizedFileURL.path
  }

  /// A text that is no other's business: from the environment, or from a file of its own.
  private func elsewhere(
    _ source: [String: ConfigurationTree], for key: Key, _ environment: [String: String]
  ) throws(ServerError) -> String {
    if source.count == 1, case .text(let name)? = source["environment"] {
      guard let value = environment[name], !value.isEmpty else {
        throw Self.error(
          "\(key.name) in \(path) needs the environment variable \(name), which is not set. Set it."
        )
      }
      return value
    }
    if source.count == 1, case .text(let name)? = source["file"] {
      let file = resolved(name)
      guard let data = FileManager.default.contents(atPath: file),
        let text = String(data: data, encoding: .utf8)
      else {
        throw Self.error(
          "\(key.name) in \(path) needs the file \(file), which cannot be read. Make it readable.")
      }
      let blanks = CharacterSet.whitespacesAndNewlines.union(["\u{FEFF}"])
      return text.trimmingCharacters(in: blanks)
    }
    throw Self.error(
      "\(key.name) in \(path) takes a text, { environment: \"NAME\" } or { file: \"PATH\" }.")
  }

  private func wrong(_ key: Key, _ value: ConfigurationTree) -> ServerError {
    let wanted =
      switch key.kind {
      case .text, .path: "a text in quotes"
      case .number: "a number"
      case .flag: "true or false"
      case .texts, .paths: "a list of texts, such as [\"…\"]"
      }
    return Self.error("\(key.name) in \(path) takes \(wanted), not \(value.kind).")
  }

  private func unknown(_ name: String, among keys: [Key]) -> ServerError {
    if let inner = keys.first(where: { $0.name.hasPrefix(name + ".") }) {
      return Self.error("\(name) in \(path) has keys of its own, such as \(inner.name).")
    }
    let nearest = Self.nearest(to: name, among: keys.map(\.name))
    let advice = nearest.map { " The nearest is \($0)." } ?? ""
    return Self.error("\(name) is not a key of \(path).\(advice)")
  }

  /// The name with the fewest letters to change.
  static func nearest(to name: String, among names: [String]) -> String? {
    names.min { Self.distance(name, $0) < Self.distance(name, $1) }
  }

  /// How many letters are to be added, left out or exchanged, or changed in case.
  ///
  /// *Source*: Wagner and Fischer, The String-to-String Correction Problem, 1974.
  static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let changed = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[right.count]
  }

  private static func error(_ sentence: String) -> ServerError {
    ServerError(.badFile, sentence)
  }
}
