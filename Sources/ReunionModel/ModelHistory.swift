import ReunionCore

/// A model through its versions: a folder such as `Album.reunionmodel` with `v1.model`, `v2.model`, … and
/// `model.lock`, which has the hash of each version that was released. The last one may be a draft.
package struct ModelHistory: Sendable {
  /// The model's name, which the folder has.
  package let name: String
  /// The versions, from the first on.
  package let versions: [ModelFile]
  /// How many of them were released.
  package let releasedCount: Int
  private let folder: String

  package static let lock = "model.lock"

  /// Reads the files of a folder by their names, and checks each version against the one before it.
  package init(folder: String, files: [String: String]) throws(ModelProblems) {
    self.folder = folder
    let last = folder.split(separator: "/").last ?? ""
    name = String(last.prefix { $0 != "." })
    var versions: [ModelFile] = []
    while let text = files["v\(versions.count + 1).model"] {
      versions.append(try ModelFile(text, name: "\(folder)/v\(versions.count + 1).model"))
    }
    self.versions = versions
    let stray = files.keys.filter {
      $0.hasSuffix(".model") && !Self.isVersion($0, upTo: versions.count)
    }
    if let stray = stray.min() {
      throw Self.problem(
        "\(folder)/\(stray)", 1,
        "Versions are named v1.model, v2.model and so on without a gap, and the last one here is v\(versions.count)."
      )
    }
    guard !versions.isEmpty else {
      throw Self.problem(
        "\(folder)/v1.model", 1, "There is no such file. Write the model's first version into it.")
    }
    guard let first = name.utf8.first, (65...90).contains(first),
      name.utf8.allSatisfy({
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
      })
    else {
      throw Self.problem(
        folder, 1,
        "The folder is named after the model, such as Album.reunionmodel: letters and digits, a capital in front."
      )
    }
    releasedCount = try Self.checkLock(files[Self.lock] ?? "", versions, "\(folder)/\(Self.lock)")
    guard releasedCount >= versions.count - 1 else {
      throw Self.problem(
        "\(folder)/v\(versions.count).model", 1,
        "Version \(versions.count) begins when version \(versions.count - 1) is released: run reunion model release \(folder)."
      )
    }
    var problems: [ModelProblem] = []
    for (old, new) in zip(versions, versions.dropFirst()) { problems += new.problems(after: old) }
    guard problems.isEmpty else { throw ModelProblems(problems) }
  }

  /// The newest version.
  package var current: ModelFile { versions[versions.count - 1] }

  /// The lock with all versions released.
  package var lockText: String {
    versions.enumerated().map { "v\($0.offset + 1) \($0.element.hash)\n" }.joined()
  }

  private static func isVersion(_ name: String, upTo count: Int) -> Bool {
    (1...max(1, count)).contains { name == "v\($0).model" && $0 <= count }
  }

  private static func problem(_ file: String, _ line: Int, _ sentence: String) -> ModelProblems {
    ModelProblems([ModelProblem(file: file, line: line, column: 1, sentence: sentence)])
  }

  /// How many versions the lock names; throws where one has changed since.
  private static func checkLock(
    _ text: String, _ versions: [ModelFile], _ file: String
  ) throws(ModelProblems) -> Int {
    let rows = text.split(separator: "\n")
    for (index, row) in rows.enumerated() {
      let version = index + 1
      guard version <= versions.count else {
        throw problem(
          file, version,
          "Version \(version) was released, and v\(version).model is gone. Put it back.")
      }
      let words = row.split(separator: " ")
      guard words.count == 2, words[0] == "v\(version)", words[1].utf8.count == 64 else {
        throw problem(
          file, version,
          "The line is damaged. Put the file back, or write v\(version) and the hash that was released."
        )
      }
      guard words[1] == versions[index].hash else {
        throw problem(
          versions[index].name, 1,
          "Version \(version) was released and has changed since. Put it back, and write the change into"
            + " v\(max(versions.count, version + 1)).model.")
      }
    }
    return rows.count
  }
}

extension ModelFile {
  /// The SHA-256 of the file, by which the lock knows it.
  package var hash: String {
    SHA256.hash(Array(text.utf8)).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }.joined()
  }

  /// What would lose or mistake something that an earlier version has.
  func problems(after old: ModelFile) -> [ModelProblem] {
    var problems: [ModelProblem] = []
    let earlier = old.name.split(separator: "/").last.map { $0.dropLast(6) } ?? ""
    func tell(_ line: Int, _ sentence: String, _ instead: String? = nil) {
      problems.append(
        ModelProblem(file: name, line: line, column: 1, sentence: sentence, instead: instead))
    }
    for was in old.entities {
      guard let now = entities.first(where: { $0.line.number == was.line.number }) else {
        var hidden = was.line
        (hidden.isHidden, hidden.type) = (true, nil)
        tell(
          max(1, lines.count),
          "\(earlier) has the entity \(was.line.name), and its records stay. Leave it out by name.",
          hidden.text)
        continue
      }
      guard !now.line.isHidden else { continue }
      for field in was.fields {
        guard let same = now.fields.first(where: { $0.line.number == field.line.number }) else {
          tell(
            now.at,
            "\(earlier) has \(was.line.name).\(field.line.name), and its values stay. Leave it out by name.",
            field.line.hidden.text)
          continue
        }
        let (type, new) = (field.line.type, same.line.type)
        if (type.kind, type.element) != (new.kind, new.element) {
          var other = same.line
          other.number = (now.fields.map(\.line.number).max() ?? 0) + 1
          tell(
            same.at,
            "The number \(same.line.number) was \(type.text) in \(earlier), and a kind never changes. Hide the field and"
              + " take a new number.", other.text)
        }
        let isSwapped =
          field.line.name != same.line.name && !same.line.isHidden
          && was.fields.contains { $0.line.name == same.line.name && !$0.line.isHidden }
          && now.fields.contains { $0.line.name == field.line.name && !$0.line.isHidden }
        if isSwapped {
          tell(
            same.at,
            "In \(earlier) \(same.line.name) is the name of another field. Values follow the numbers: take another name."
          )
        }
      }
    }
    return problems
  }
}
