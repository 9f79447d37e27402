import Foundation
import Glibc
import PrivateBus
import Reunion
import ReunionBluetooth
import ReunionCore
import ReunionDesktop
import Testing

/// The program `reunion-bluetooth`, with a BlueZ that the tests play.
@Suite struct BluetoothCommandTests {
  struct Run {
    let status: Int32
    let output: String
    let errors: String
    /// What it has left among temporary files.
    let leftovers: [String]
  }

  /// Runs the program with a bus in the place of the system's.
  static func run(
    _ arguments: [String], bus: PrivateBus, program other: URL? = nil, terminal: String? = nil
  ) async throws -> Run {
    let folder = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "reunion-bluetooth")
    let words =
      [(other ?? program).path] + arguments + ["--folder", folder.appending(path: "keys").path]
    let (output, errors) = (folder.appending(path: "out").path, folder.appending(path: "err").path)
    let (address, temporary) = (bus.address, folder.appending(path: "temporary"))
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let status: Int32 = try await withCheckedThrowingContinuation { resume in
      Thread.detachNewThread {
        resume.resume(
          with: Result {
            try wait(
              words, output: terminal ?? output, errors: errors,
              ["DBUS_SYSTEM_BUS_ADDRESS": address, "TMPDIR": temporary.path])
          })
      }
    }
    return Run(
      status: status,
      output: terminal == nil ? try String(contentsOfFile: output, encoding: .utf8) : "",
      errors: try String(contentsOfFile: errors, encoding: .utf8),
      leftovers: try FileManager.default.contentsOfDirectory(atPath: temporary.path))
  }

  /// Runs it again where a busy machine took its time from it: 3 and 4 say that nothing came in time.
  static func patiently(
    _ arguments: [String], bus: PrivateBus, program: URL? = nil, terminal: String? = nil
  ) async throws -> Run {
    for _ in 0..<10 {
      let run = try await run(arguments, bus: bus, program: program, terminal: terminal)
      if ![3, 4].contains(run.status) { return run }
    }
    return try await run(arguments, bus: bus, program: program, terminal: terminal)
  }

  private static func wait(
    _ words: [String], output: String, errors: String, _ variables: [String: String]
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
    var environment = variables
    environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
    environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    var settings = environment.map { strdup("\($0)=\($1)") } + [nil]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for text in settings + arguments { free(text) } }
    var id: pid_t = 0
    let started = posix_spawn(&id, words[0], &actions, nil, &arguments, &settings)
    guard started == 0 else { throw CocoaError(.fileNoSuchFile) }
    var status: Int32 = 0
    waitpid(id, &status, 0)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }

  @Test func `what keeps Bluetooth from being used is said, with the remedy`() async throws {
    let nobody = try PrivateBus()
    let missing = try await Self.run(["scan"], bus: nobody)
    #expect(missing.status == 3)
    // A machine that has an adapter lacks the service alone.
    let remedies = [RadioState.unsupported, .serviceLost].compactMap(\.remedy)
    #expect(remedies.contains { missing.errors == "reunion: \($0)\n" }, "\(missing.errors)")

    let off = try PrivateBus()
    let fake = try await FakeBlueZ(off, isOn: false)
    let dark = try await Self.run(["scan", "--json"], bus: off)
    #expect(dark.status == 3)
    #expect(dark.errors == "{\"error\":\"Switch Bluetooth on.\",\"exitCode\":3}\n")
    withExtendedLifetime(fake) {}

    let closed = try PrivateBus(forbidden: "org.bluez")
    let hidden = try await FakeBlueZ(closed)
    let refused = try await Self.run(["send", Invitation().description, "Hello"], bus: closed)
    #expect(refused.status == 3)
    #expect(refused.errors.contains("group bluetooth"))
    withExtendedLifetime(hidden) {}
  }

  @Test func `a scan tells what is around, for people and for programs`() async throws {
    let daemon = try PrivateBus()
    let fake = try await FakeBlueZ(daemon)
    // It is there already: on a busy machine nobody would hear it in time.
    _ = fake.addDevice("00_11_22_33_44_55")
    let people = try await Self.patiently(["scan", "--for", "5s"], bus: daemon)
    #expect(people.status == 0)
    #expect(
      people.output
        == "00:11:22:33:44:55  -61 dBm  00_11_22_33_44_55  \(Sample.service)\n")
    let programs = try await Self.patiently(["scan", "--for", "5s", "--json"], bus: daemon)
    #expect(programs.output.contains("\"signalStrength\":-61"))
    #expect(programs.output.contains("\"manufacturerData\":[76,0,1,2]"))
    #expect(people.leftovers.isEmpty, "its key stays")
    let none = try await Self.run(["scan", "--for", "1s", "--service", "1234"], bus: daemon)
    #expect(none.status == 4)
    #expect(none.errors.hasPrefix("reunion: No device was heard."))
  }

  @Test(arguments: [
    (["fly"], "fly is not a verb"),
    (["scan", "--for", "soon"], "--for is a time"),
    (["scan", "--service", "x"], "--service is a name"),
    (["scan", "--adapter", "../x"], "--adapter is a name"),
    (["watch"], "Usage: reunion bluetooth watch"),
    (["bench", "code", "--bytes", "70000"], "--bytes is a number"), (["scan", "--fast"], "--fast"),
    (["serve"], "Usage: reunion bluetooth serve FOLDER"), (["join", "a", "b"], "join [CODE]"),
    (["serve", "x", "--space", "album"], "--space is 32 hexadecimal digits"),
    (["join"], "shares nothing yet. Give the code"), (["join", "1234"], "1234 is no code."),
  ])
  func `what is not understood is said`(words: [String], sentence: String) async throws {
    let run = try await Self.run(words, bus: try PrivateBus())
    #expect(run.status == 2)
    #expect(run.errors.contains(sentence), "\(run.errors)")
  }

  @Test func `a code that is none is refused`() async throws {
    let daemon = try PrivateBus()
    let fake = try await FakeBlueZ(daemon)
    let run = try await Self.run(["send", "1234", "Hello"], bus: daemon)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("reunion: 1234 is no code."))
    withExtendedLifetime(fake) {}
  }

  /// A folder that is gone after the test.
  static func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path)
  }

  struct Note: Entity {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
  }

  /// A store with a number of spaces, and a note in each.
  static func makeStore(_ folder: String, spaces: Int) throws -> [SpaceID] {
    let replica = try Replica(folder: folder, model: Model(Note.schema))
    let spaces = (0..<spaces).map { _ in SpaceID.random() }
    for space in spaces {
      try replica.write(in: space) { try $0.create(Note.self) { $0.text = "" } }
    }
    try replica.close()
    return spaces
  }

  @Test func `what cannot be shared is said, and stays as it is`() async throws {
    try await Self.withFolder { folder in
      let daemon = try PrivateBus()
      let fake = try await FakeBlueZ(daemon)
      let none = try await Self.run(["serve", folder], bus: daemon)
      #expect(none.errors.contains("There is no store in"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
      let empty = "\(folder)/empty"
      _ = try Self.makeStore(empty, spaces: 0)
      let nothing = try await Self.run(["serve", empty], bus: daemon)
      #expect(nothing.errors.contains("The store holds nothing yet."))
      let two = "\(folder)/two"
      let spaces = try Self.makeStore(two, spaces: 2)
      let several = try await Self.run(["serve", two], bus: daemon)
      #expect(several.errors.contains("Choose one with --space: "))
      #expect(spaces.allSatisfy { several.errors.contains($0.description) })
      let other = try await Self.run(
        ["serve", two, "--space", SpaceID.random().description], bus: daemon)
      #expect(other.errors.contains("The store has no space"))
      let damaged = Data("a b c\n".utf8)
      try damaged.write(to: URL(filePath: "\(two)/bluetooth.spaces"))
      let unread = try await Self.run(["serve", two], bus: daemon)
      #expect(unread.errors.contains("bluetooth.spaces cannot be understood."))
      #expect(try Data(contentsOf: URL(filePath: "\(two)/bluetooth.spaces")) == damaged)
      #expect([none, nothing, unread].map(\.status) == [1, 1, 1])
      #expect([several, other].map(\.status) == [2, 2])
      withExtendedLifetime(fake) {}
    }
  }

  @Test func `in a terminal the code is drawn as well, by the program beside`() async throws {
    try await Self.withFolder { folder in
      let daemon = try PrivateBus()
      let fake = try await FakeBlueZ(daemon)
      _ = try Self.makeStore("\(folder)/store", spaces: 1)
      let bin = URL(filePath: "\(folder)/bin")
      try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
      let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "reunion-bluetooth")
      let copy = bin.appending(path: "reunion-bluetooth")
      // By another process: a program that this one has open for writing cannot be started.
      let copying = try Process.run(
        URL(filePath: "/bin/cp"), arguments: [program.path, copy.path])
      copying.waitUntilExit()
      let reunion = bin.appending(path: "reunion")
      let writing = try Process.run(
        URL(filePath: "/bin/sh"),
        arguments: [
          "-c", "printf '%s' \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh",
          "#!/bin/sh\necho drawn: $*\n", reunion.path,
        ])
      writing.waitUntilExit()
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      defer { close(terminal) }
      // TIOCSPTLCK and TIOCGPTN: it may be opened, and has this number.
      var (isLocked, number): (Int32, Int32) = (0, 0)
      #expect(ioctl(terminal, 0x4004_5431, &isLocked) == 0)
      #expect(ioctl(terminal, 0x8004_5430, &number) == 0)
      let name = "/dev/pts/\(number)"
      // It stays open, so that nothing is lost at the program's end.
      let end = open(name, O_RDWR | O_NOCTTY)
      defer { close(end) }
      let run = try await Self.patiently(
        ["serve", "\(folder)/store", "--for", "1s"], bus: daemon, program: copy, terminal: name)
      try #require(run.status == 0, "\(run.errors)")
      // Two programs have written, so that it may come in parts.
      var text = ""
      var buffer = [UInt8](repeating: 0, count: 8192)
      while !text.contains(/join [0-9a-f-]{35}/) {
        let count = read(terminal, &buffer, buffer.count)
        try #require(count > 0)
        text += String(decoding: buffer.prefix(count), as: UTF8.self)
      }
      let code = try #require(text.firstMatch(of: /join ([0-9a-f-]{35})/)?.1)
      #expect(text.hasPrefix("drawn: barcode qr \(code)"), "\(text)")
      withExtendedLifetime(fake) {}
    }
  }

  @Test func `a store is served, and what is known of it told to programs`() async throws {
    try await Self.withFolder { folder in
      let daemon = try PrivateBus()
      let fake = try await FakeBlueZ(daemon)
      let space = try Self.makeStore(folder, spaces: 1)[0]
      let words = ["serve", folder, "--for", "5s", "--json"]
      let run = try await Self.patiently(words, bus: daemon)
      try #require(run.status == 0, "\(run.errors)")
      let lines = run.output.split(separator: "\n")
      #expect(lines.first?.contains("\"space\":\"\(space)\"") == true)
      #expect(
        lines.last
          == #"{"blobs":0,"missing":0,"peers":0,"records":1,"state":"waiting"}"#)
      // On a busy machine its time may be over before it advertises.
      for _ in 0..<10 where fake.calls("RegisterAdvertisement").isEmpty {
        _ = try await Self.patiently(words, bus: daemon)
      }
      #expect(!fake.calls("RegisterAdvertisement").isEmpty)
    }
  }
}
