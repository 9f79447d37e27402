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

  /// Reads the files of a folder by their names, and checks each version against all before it.
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
    guard !ModelName.reserved.contains(ModelName.property(name)) else {
      throw Self.problem(
        folder, 1,
        "“\(ModelName.property(name))” is a word of Swift or JavaScript. Name the folder otherwise, such as"
          + " \(name)Model.reunionmodel.")
    }
    releasedCount = try Self.checkLock(files[Self.lock] ?? "", versions, "\(folder)/\(Self.lock)")
    guard releasedCount >= versions.count - 1 else {
      throw Self.problem(
        "\(folder)/v\(versions.count).model", 1,
        "Version \(versions.count) begins when version \(versions.count - 1) is released: run reunion model release \(folder)."
      )
    }
    var problems: [ModelProblem] = []
    var known = KnownModel()
    for file in versions {
      problems += file.problems(after: known)
      known.take(file)
    }
    problems += Self.readerProblems(versions)
    guard problems.isEmpty else { throw ModelProblems(problems) }
  }

  /// The newest version.
  package var current: ModelFile { versions[versions.count - 1] }

  /// The lock with all versions released.
  package var lockText: String {
    versions.enumerated().map { "v\($0.offset + 1) \($0.element.hash)\n" }.joined()
  }

  /// What is wrong with the minimum readers: none is beyond its version, and none comes down again.
  private static func readerProblems(_ versions: [ModelFile]) -> [ModelProblem] {
    var problems: [ModelProblem] = []
    var before = 1
    for (index, file) in versions.enumerated() {
      let (version, reader) = (index + 1, file.minimumReader?.line ?? 1)
      if reader > version || reader < before {
        problems.append(
          ModelProblem(
            file: file.name, line: file.minimumReader?.at ?? 1, column: 1,
            sentence: reader > version
              ? "This is version \(version), which could not read what it writes itself."
              : "What version \(version - 1) wrote for readers from version \(before) on is still there.",
            instead: ModelLine.minimumReader(max(before, min(reader, version))).text))
      }
      before = max(before, min(reader, version))
    }
    return problems
  }

  private static func isVersion(_ name: String, upTo count: Int) -> Bool {
    (1...max(1, count)).contains { name == "v\($0).model" && $0 <= count }
  }

  private static func problem(_ file: String, _ line: Int, _ sentence: String) -> ModelProblems {
    ModelProblems([ModelProblem(file: file, line: line, column: 1, sentence: sentence)])
  }

  /// How many versions the lock names; throws if one has changed since.
  private static func checkLock(
    _ text: String, _ versions: [ModelFile], _ file: String
  ) throws(ModelProblems) -> Int {
    let rows = ModelFile.settled(text).split(separator: "\n")
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
}
