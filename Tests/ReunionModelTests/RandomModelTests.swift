import Foundation
import ReunionModel
import Testing

/// Models of all kinds through chains of edits: each version checks, prints back, and makes code that compiles.
///
/// `REUNION_FAULTS=full` takes ten times as many.
@Suite struct RandomModelTests {
  static let isFull = ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full"
  static let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "1") ?? 1

  /// A model with as many versions, the last a draft, and its folder's files.
  static func history(seed: UInt64, versions: Int) throws -> (
    ModelHistory, RandomModel, [String: String]
  ) {
    var model = RandomModel(seed: seed)
    var files = ["v1.model": model.text]
    for version in 2...max(2, versions) where versions > 1 {
      files["model.lock"] = try ModelHistory(folder: "Random.reunionmodel", files: files).lockText
      model.edit(to: version)
      files["v\(version).model"] = model.text
    }
    return (try ModelHistory(folder: "Random.reunionmodel", files: files), model, files)
  }

  @Test func `every chain of edits checks, prints back, and makes the same code each time`() throws
  {
    let count = Self.isFull ? 2000 : 200
    print("seeds \(Self.seed)...\(Self.seed + UInt64(count) - 1)")
    var kinds: Set<String> = []
    var returnCount = 0
    for seed in Self.seed..<Self.seed + UInt64(count) {
      do {
        let versions = 1 + Int(seed % 10)
        let (history, model, files) = try Self.history(seed: seed, versions: versions)
        #expect(history.versions.count == versions, "seed \(seed)")
        #expect(history.current.text == files["v\(versions).model"], "seed \(seed)")
        let swift = SwiftSource(history).text
        #expect(swift == SwiftSource(history).text && !JavaScriptSource(history).text.isEmpty)
        returnCount += model.returnCount
        for entity in model.entities where !entity.line.isHidden {
          #expect(
            swift.contains("\(entity.line.number), \"\(entity.line.name)\",\n"), "seed \(seed)")
          kinds.formUnion(entity.lenses.map { "\($0.verb)" })
          if !entity.indexes.isEmpty { kinds.insert("index") }
        }
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    #expect(kinds == ["retype", "split", "merge", "fill", "index"])
    #expect(returnCount > 0)
  }

  @Test func `a damaged draft after a released version traps nowhere, and is told or a version`()
    throws
  {
    let count = Self.isFull ? 20_000 : 2000
    var random = Seeded(state: Self.seed)
    var soundCount = 0
    let folders = try (0..<50).map { try Self.history(seed: $0, versions: 3).2 }
    for round in 0..<count {
      var files = folders[round % folders.count]
      guard let text = files["v3.model"] else { continue }
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: at)
        case 1: bytes[at] = UInt8.random(in: 0...127, using: &random)
        case 2: bytes.insert(contentsOf: Array(" @7 ?\n".utf8), at: at)
        default: bytes.removeSubrange(at..<min(bytes.count, at + 30))
        }
      }
      let damaged = String(decoding: bytes, as: UTF8.self)
      files["v3.model"] = damaged
      do {
        let history = try ModelHistory(folder: "Random.reunionmodel", files: files)
        #expect(history.current.text == damaged)
        _ = (SwiftSource(history).text, JavaScriptSource(history).text)
        soundCount += 1
      } catch {
        #expect(error.all.allSatisfy { $0.line >= 1 && $0.column >= 1 && !$0.sentence.isEmpty })
      }
    }
    #expect(soundCount > 0 && soundCount < count / 2)
  }

  @Test func `a released version that is damaged anywhere is refused, whatever it is`() throws {
    let count = Self.isFull ? 20_000 : 2000
    var random = Seeded(state: Self.seed)
    let folders = try (0..<20).map { try Self.history(seed: $0, versions: 2).2 }
    for round in 0..<count {
      let files = folders[round % folders.count]
      guard var bytes = files["v1.model"].map({ Array($0.utf8) }) else { continue }
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8(
        1 << Int.random(in: 0..<7, using: &random))
      var damaged = files
      damaged["v1.model"] = String(decoding: bytes, as: UTF8.self)
      #expect(throws: ModelProblems.self) {
        try ModelHistory(folder: "Random.reunionmodel", files: damaged)
      }
    }
  }

  /// What node says of a module; empty where it loads.
  private static func saidOfModule(_ text: String, in folder: URL) throws -> String {
    let file = folder.appending(path: "model.mjs")
    try Data(text.utf8).write(to: file)
    let node = Process()
    node.executableURL = URL(filePath: "/usr/bin/env")
    node.arguments = ["node", "--check", file.path]
    let errors = Pipe()
    node.standardError = errors
    try node.run()
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    node.waitUntilExit()
    return node.terminationStatus == 0 ? "" : String(decoding: said, as: UTF8.self)
  }

  private static var isNodeThere: Bool {
    let places = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return places.contains { FileManager.default.isExecutableFile(atPath: "\($0)/node") }
  }

  @Test(.enabled(if: isNodeThere, "node is needed"))
  func `modules of a sample of them load, and a broken one does not (negative control)`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "modules-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var module = ""
    for seed in Self.seed..<Self.seed + (Self.isFull ? 200 : 20) {
      module = JavaScriptSource(try Self.history(seed: seed, versions: 5).0).text
      #expect(try Self.saidOfModule(module, in: folder) == "", "seed \(seed)")
    }
    let broken = module.replacing(" */", with: "")
    #expect(try Self.saidOfModule(broken, in: folder).contains("SyntaxError"))
  }

  /// What a model needs of its app: a type over a text, and the functions of its lenses.
  static func handWritten(_ model: RandomModel) -> String {
    let functions = model.customs.map { custom in
      let names = custom.from.indices.map { "value\($0): \(type(custom.from[$0]))" }
      let made = custom.to.map(type).joined(separator: ", ")
      return
        "  static let \(custom.name) = Conversion.custom(\"\(custom.name), 1\")"
        + " { (\(names.joined(separator: ", "))) -> (\(made))? in nil }\n"
    }
    return """
      import Foundation
      import ReunionStore

      enum Mark: String, FieldValue {
        case mark
        init() { self = .mark }
      }

      """ + (functions.isEmpty ? "" : "extension Conversion {\n\(functions.joined())}\n")
  }

  private static func type(_ field: FieldLine) -> String {
    let types: [ModelKind: String] = [
      .bool: "Bool", .int: "Int", .double: "Double", .text: "String", .date: "Date", .uuid: "UUID",
    ]
    return (field.swiftType ?? types[field.type.kind] ?? "") + (field.type.isOptional ? "?" : "")
  }

  /// The compiler's errors on sources, against the store that the tests were built with.
  static func errors(in sources: [String: String]) throws -> String {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let folder = FileManager.default.temporaryDirectory.appending(path: "model-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in sources {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I",
        products.appending(path: "Modules").path, "-I",
        products.appending(path: "CSQLite.build").path, "-I",
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../C/CDeflate")
          .path,
      ] + sources.keys.sorted().map { folder.appending(path: $0).path }
    let errors = Pipe()
    compiler.standardError = errors
    try compiler.run()
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    compiler.waitUntilExit()
    return compiler.terminationStatus == 0 ? "" : String(decoding: said, as: UTF8.self)
  }

  @Test
  func `what is made of a sample of them compiles, and of another does not (negative control)`()
    throws
  {
    let count = Self.isFull ? 60 : 6
    for seed in Self.seed..<Self.seed + UInt64(count) {
      let (history, model, _) = try Self.history(seed: seed, versions: 10)
      let sources = [
        "Random.generated.swift": SwiftSource(history).text,
        "Hand.swift": Self.handWritten(model),
      ]
      #expect(try Self.errors(in: sources) == "", "seed \(seed)")
    }
    let broken = "import ReunionStore\nlet model = Model(Nothing.schema, version: 1)\n"
    #expect(try Self.errors(in: ["Broken.swift": broken]).contains("Nothing"))
  }
}
