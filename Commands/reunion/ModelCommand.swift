import Foundation
import ReunionModel

/// `reunion model …`: the files of a data model, and the code that is made of them.
enum ModelCommand {
  static let verbs = [
    Verb("model check", help: checkHelp, isPrivate: false) { arguments, output, _ in
      try check(&arguments, output)
    },
    Verb("model plan", help: planHelp, isPrivate: false) { arguments, output, _ in
      try plan(&arguments, output)
    },
    Verb("model release", help: releaseHelp, isPrivate: false) { arguments, output, _ in
      try release(&arguments, output)
    },
    Verb("model generate", help: generateHelp, isPrivate: false) { arguments, output, _ in
      try generate(&arguments, output)
    },
    Verb("model scaffold", help: scaffoldHelp, isPrivate: false) { arguments, output, _ in
      try scaffold(&arguments, output)
    },
  ]

  private static let codes =
    "Exit codes: 0 done, 1 the model is wrong or a file failed, 2 not understood."

  private static let checkHelp = """
    Usage: reunion model check FOLDER [--json]

    Reads a model such as Album.reunionmodel: v1.model, v2.model and so on. It tells what is wrong with
    file, line and column, and the line to write instead. The guide models.md has the format.

    \(codes)
    """

  private static let planHelp = """
    Usage: reunion model plan FOLDER [STORE] [--json]

    Says what an upgrade to the newest version of a model does: from each earlier version, and to
    the store in the folder STORE, which it only reads. Nothing is changed. An app does it when it
    opens its store. What the file does not say it does not know: what a type of yours begins with,
    and whether a store has what a function of yours makes.

    With --json it prints an object for each: "from" (a version, or "store"), "guarded", and "steps"
    with "step", "subject" and "text".

    \(codes)
    """

  private static let releaseHelp = """
    Usage: reunion model release FOLDER [--json]

    Writes the hashes of all versions into model.lock. From now on they stay as they are, and a change
    goes into the next version. Do it when an app with the model goes out.

    \(codes)
    """

  private static let generateHelp = """
    Usage: reunion model generate FOLDER [--javascript] [--out FILE] [--json]

    Writes Swift of the model's newest version: a struct for each entity, with its schema. With
    --javascript it writes a module for pages. In a Swift package the plugin GenerateModel does it at
    each build.

    Without --out, or with -, the source goes to standard output; with --json it is the field "source".

    \(codes)
    """

  private static let scaffoldHelp = """
    Usage: reunion model scaffold FOLDER SOURCES [--json]

    Writes an empty extension of each entity into the folder SOURCES, one file each, for what you write
    by hand. It writes each file once, and leaves those alone that are there.

    \(codes)
    """

  private static func check(_ arguments: inout Arguments, _ output: Output) throws {
    let history = try read(&arguments)
    let entities = history.current.entities.filter { !$0.line.isHidden }.count
    let state =
      history.releasedCount == history.versions.count
      ? "all released" : "version \(history.versions.count) is a draft"
    output.say(
      [
        "model": history.name, "versions": history.versions.count,
        "released": history.releasedCount, "entities": entities, "hash": history.current.hash,
      ],
      "\(history.name) is sound: \(history.versions.count.counted("version")), \(state);"
        + " \(entities.counted("entity", "entities")).")
  }

  private static func plan(_ arguments: inout Arguments, _ output: Output) throws {
    let paths = try arguments.rest(1...2, or: "Say which model, such as Album.reunionmodel.")
    let history = try read(paths[0])
    let version = history.versions.count
    func say(_ from: any Sendable, _ title: String, _ plan: ModelPlan) {
      output.say(
        plan.json.merging(["model": history.name, "from": from, "to": version]) { $1 },
        "\(title)\n\(plan.description)")
    }
    for (earlier, plan) in try ModelPlan.fromEachVersion(history) {
      say(earlier, "From version \(earlier) to \(version):", plan)
    }
    if paths.count == 2 {
      let plan = try ModelPlan(of: paths[1], to: history)
      say("store", "The store in \(paths[1]), to version \(version):", plan)
    } else if version == 1 {
      output.say(
        ["model": history.name, "to": 1], "Version 1 is the first: there is nothing to upgrade.")
    }
  }

  private static func release(_ arguments: inout Arguments, _ output: Output) throws {
    let folder = try folder(arguments)
    let history = try read(&arguments)
    let count = history.versions.count
    guard history.releasedCount < count else {
      return output.say(
        ["model": history.name, "released": count],
        "All \(count.counted("version")) are released already.")
    }
    try OutputFile.write(Array(history.lockText.utf8), to: "\(folder)/\(ModelHistory.lock)")
    output.say(
      ["model": history.name, "released": count],
      "Version \(count) is released. The next change goes into v\(count + 1).model: begin with a copy."
    )
  }

  private static func generate(_ arguments: inout Arguments, _ output: Output) throws {
    let isScript = arguments.take("--javascript")
    let target = try arguments.value(of: "--out")
    let history = try read(&arguments)
    let source = isScript ? JavaScriptSource(history).text : SwiftSource(history).text
    guard let target, target != "-" else {
      return output.hand(out: "source", source, ["hash": history.current.hash])
    }
    try OutputFile.write(Array(source.utf8), to: target)
    output.say(
      ["file": target, "hash": history.current.hash], "\(target): \(history.name), written.")
  }

  private static func scaffold(_ arguments: inout Arguments, _ output: Output) throws {
    let paths = try arguments.rest(2...2, or: "Say which model, and the folder of the sources.")
    let history = try read(paths[0])
    var (written, kept) = ([String](), [String]())
    for (name, text) in SwiftSource(history).scaffold {
      let path = "\(paths[1])/\(name)"
      guard !FileManager.default.fileExists(atPath: path) else {
        kept.append(name)
        continue
      }
      try OutputFile.write(Array(text.utf8), to: path)
      written.append(name)
    }
    output.say(
      ["written": written, "kept": kept],
      (written.isEmpty ? "Nothing to write." : "Written: \(written.joined(separator: ", ")).")
        + (kept.isEmpty ? "" : " There already, and left alone: \(kept.joined(separator: ", "))."))
  }

  private static func folder(_ arguments: Arguments) throws -> String {
    try arguments.rest(1...1, or: "Say which model, such as Album.reunionmodel.")[0]
  }

  private static func read(_ arguments: inout Arguments) throws -> ModelHistory {
    try read(folder(arguments))
  }

  /// The versions of a model.
  static func read(_ folder: String) throws -> ModelHistory {
    do {
      return try ModelHistory(contentsOf: folder)
    } catch let problems as ModelProblems {
      throw CommandFailure(1, problems.description)
    } catch let problem as ModelProblem {
      throw CommandFailure(1, problem.description)
    } catch {
      throw CommandFailure(1, "\(folder) could not be read: check its name and its rights.")
    }
  }
}
