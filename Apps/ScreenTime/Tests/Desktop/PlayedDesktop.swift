import Foundation
@testable import ReunionFlow

/// A real X server with a real window manager and two real programs, and the agent beside them.
final class PlayedDesktop: Sendable {
  struct Missing: Error, CustomStringConvertible { let description: String }

  let services: PlayedServices
  let display: String
  let folder: String
  private let programs = Lock<[Process]>([])
  private let agents = Lock<[Process]>([])

  init() async throws {
    services = try await PlayedServices()
    folder = "\(NSTemporaryDirectory())/desktop-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let output = Pipe()
    let server = try Self.start(
      "/usr/bin/Xvfb",
      ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
      output: output)
    programs.withLock { $0.append(server) }
    // It says its number once it listens.
    let number = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let display = Int(number.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Missing(description: "Xvfb does not start: \(number)")
    }
    self.display = ":\(display)"
    try await manageWindows()
    // A window that came later would take the focus.
    for program in ["xterm", "xcalc"] { try await show(program) }
  }

  /// The two programs, with their places.
  private static let places = [
    "xterm": ["-geometry", "30x10+20+40", "-e", "cat"], "xcalc": ["-geometry", "200x200+450+300"],
  ]

  /// Starts the window manager, and waits until it has looked at all windows: one that comes while it does
  /// so is never shown.
  private func manageWindows() async throws {
    try await eventually("the window manager has looked at all windows", every: .milliseconds(20)) {
      try run("/usr/bin/openbox", ["--sm-disable", "--startup", "/bin/mkdir -p \(folder)/managed"])
      return FileManager.default.fileExists(atPath: folder + "/managed")
    }
  }

  /// Starts a program, and waits for its window.
  private func show(_ program: String) async throws {
    try await eventually("the window of \(program) is shown", every: .milliseconds(20)) {
      try run("/usr/bin/\(program)", Self.places[program] ?? [])
      return try !xdotool("search", "--onlyvisible", "--class", program).isEmpty
    }
  }

  private static func start(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    output: Any = FileHandle.nullDevice
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"].merging(environment) {
      $1
    }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw Missing(description: "\(path) is missing: run Scripts/packages.sh test.")
    }
    return process
  }

  /// Starts a program unless it runs: one may end where it could not have all that it needs at its start.
  private func run(_ path: String, _ arguments: [String]) throws {
    try programs.withLock { programs in
      guard !programs.contains(where: { $0.executableURL?.path == path && $0.isRunning }) else {
        return
      }
      programs.append(try Self.start(path, arguments, environment: ["DISPLAY": display]))
    }
  }

  /// Does what a person does, waits until it is done, and gives what was printed.
  @discardableResult
  func xdotool(_ arguments: String...) throws -> String {
    let output = Pipe()
    let process = try Self.start(
      "/usr/bin/xdotool", arguments, environment: ["DISPLAY": display], output: output)
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
  }

  /// Clicks into the window of a program, until the window manager has given it the focus.
  func use(_ program: String) async throws {
    try await eventually("\(program) has the focus") {
      let place = program == "xterm" ? ("100", "120") : ("550", "480")
      try xdotool("mousemove", place.0, place.1, "click", "1")
      let windows = try xdotool("search", "--onlyvisible", "--class", program)
      let active = try xdotool("getactivewindow")
      if !active.isEmpty, windows.contains(active) { return true }
      try await manageWindows()
      try await show(program)
      return false
    }
  }

  /// Starts the agent.
  @discardableResult
  func agent(
    _ arguments: [String], onWayland: Bool = false, zone: String = "UTC"
  ) throws -> Process {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    var environment = [
      "DBUS_SYSTEM_BUS_ADDRESS": services.daemon.address,
      "DBUS_SESSION_BUS_ADDRESS": services.daemon.address, "HOME": folder, "TZ": zone,
    ]
    environment[onWayland ? "WAYLAND_DISPLAY" : "DISPLAY"] = onWayland ? "wayland-0" : display
    let path = folder + "/agent.log"
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(filePath: path))
    }
    let log = FileHandle(forWritingAtPath: path)
    _ = try log?.seekToEnd()
    let process = try Self.start(
      products.appending(path: "screentime-agent").path, arguments, environment: environment,
      output: log ?? FileHandle.nullDevice)
    agents.withLock { $0.append(process) }
    return process
  }

  /// What the agents printed.
  var log: String { (try? String(contentsOfFile: folder + "/agent.log", encoding: .utf8)) ?? "" }

  deinit {
    // Nobody waits here: what tests run on may be the thread that would hear of the end.
    let started = agents.withLock { $0 } + programs.withLock { $0.reversed() }
    for process in started where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
