import Foundation
import Testing

/// `reunion VERB` where a program `reunion-VERB` lies beside it.
@Suite struct InstalledVerbsTests {
  /// A folder with the command and programs of that name, each a script.
  final class Installation {
    let folder = FileManager.default.temporaryDirectory.appending(path: "verbs-\(UUID())")

    init(_ scripts: [String: String]) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try shell("cp \"$1\" \"$2\"", Command.program.path, path(of: "reunion"))
      for (name, script) in scripts { try write(script, as: name, mode: 0o755) }
    }

    func write(
      _ script: String, as name: String, mode: Int, by interpreter: String = "/bin/sh"
    ) throws {
      try shell(
        "printf '%s' \"$1\" > \"$2\" && chmod \"$3\" \"$2\"", "#!\(interpreter)\n\(script)\n",
        path(of: name), String(mode, radix: 8))
    }

    private func path(of name: String) -> String { folder.appending(path: name).path }

    /// By another process: what this one has open for writing, each program that a test beside starts has
    /// open as well for a moment, and what is open for writing cannot be started.
    private func shell(_ line: String, _ words: String...) throws {
      let writing = try Process.run(
        URL(filePath: "/bin/sh"), arguments: ["-c", line, "sh"] + words)
      writing.waitUntilExit()
    }

    func run(_ words: String..., from: URL? = nil, path: String? = nil) throws -> Command.Run {
      try Command.run(
        words, program: folder.appending(path: "reunion"), from: from,
        environment: path.map { ["PATH": $0] })
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  @Test func `runs the program beside it with the rest of the words, and ends as that does`() throws
  {
    let installed = try Installation([
      "reunion-hello": "printf '%s\\n' \"$@\"; echo told >&2; exit 7"
    ])
    let run = try installed.run("hello", "--json", "one two", "--", "-x", "help")
    #expect(run.status == 7 && run.errors == "told\n")
    #expect(run.output == "--json\none two\n--\n-x\nhelp\n")
    #expect(try installed.run("--json", "hello", "x").output == "--json\nx\n")
    #expect(try installed.run("help", "hello").output == "--help\n")
    #expect(try installed.run("hello", "--help").output == "--help\n")
  }

  @Test func `lists what is installed, and takes nothing else for a program`() throws {
    let installed = try Installation([
      "reunion-hello": "exit 0", "reunion-a-b": "exit 0", "reunion-x.y": "exit 0",
      "reunion-": "exit 0",
    ])
    try installed.write("exit 0", as: "reunion-text", mode: 0o644)
    try FileManager.default.createDirectory(
      at: installed.folder.appending(path: "reunion-folder"), withIntermediateDirectories: false)
    let help = try installed.run("--help")
    #expect(help.status == 0)
    #expect(help.output.hasSuffix("beside this one:\n  a-b: reunion-a-b\n  hello: reunion-hello\n"))
    #expect(
      try installed.run("--help", "--json").last["installed"] as? [String] == ["a-b", "hello"])
    for word in ["text", "folder", "x.y", "../reunion-hello", "Hello"] {
      let run = try installed.run(word)
      #expect(run.status == 2, "\(word)")
      #expect(run.errors.contains("there is no program reunion-\(word) beside it"))
    }
  }

  @Test func `asks neither the search path nor the folder where somebody stands`() throws {
    let elsewhere = try Installation(["reunion-hello": "echo wrong"])
    let installed = try Installation([:])
    let run = try installed.run("hello", from: elsewhere.folder, path: elsewhere.folder.path)
    #expect(run.status == 2 && run.output.isEmpty)
  }

  @Test func `a verb of the command's own is never another program's`() throws {
    let installed = try Installation([
      "reunion-version": "echo wrong", "reunion-import": "echo wrong", "reunion-help": "echo wrong",
    ])
    #expect(try installed.run("version").output.hasPrefix("0."))
    #expect(try installed.run("import").status == 2)
    #expect(try installed.run("help").output.hasPrefix("Usage: reunion"))
  }

  @Test func `the program is stopped by the signals that stop any other`() throws {
    let installed = try Installation(["reunion-hello": "kill -TERM $$; sleep 1; echo still here"])
    #expect(try installed.run("hello").output.isEmpty)
  }

  @Test func `a program that cannot be started is told`() throws {
    let installed = try Installation([:])
    try installed.write("", as: "reunion-broken", mode: 0o755, by: "/nowhere/at/all")
    let run = try installed.run("broken")
    #expect(run.status == 1 && run.errors.contains("could not be started: No such file"))
  }
}
