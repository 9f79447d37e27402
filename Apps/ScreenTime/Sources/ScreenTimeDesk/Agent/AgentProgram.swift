import Dispatch
import Foundation
import Reunion
import ScreenTimeBook

/// The agent as a program.
public enum AgentProgram {
  /// Runs until it is stopped: the status of the process.
  ///
  /// - Throws: an error in a sentence that names the remedy.
  public static func run(
    _ arguments: [String], environment: [String: String], say: @escaping @Sendable (String) -> Void
  ) async throws -> Int32 {
    let options = try Options(
      arguments, environment: environment, host: ProcessInfo.processInfo.hostName)
    if options.isHelp {
      say(Options.help)
      return 0
    }
    let isWayland =
      environment["WAYLAND_DISPLAY"] != nil || environment["XDG_SESSION_TYPE"] == "wayland"
    let what = isWayland ? What.presence : What.programs(awayAfter: options.awayAfter)
    if options.isWhat {
      say(what)
      return 0
    }
    var screen: XScreen?
    if !isWayland {
      let display = environment["DISPLAY"] ?? ""
      screen = display.isEmpty ? nil : XScreen(display)
      guard screen != nil else {
        throw Failure(
          "There is no X display to look at. Start the agent in a desktop session, where DISPLAY names one."
        )
      }
    }
    // What it knows is for this account alone.
    umask(0o077)
    try FileManager.default.createDirectory(
      atPath: options.folder, withIntermediateDirectories: true)
    let links = try LinkFile(in: options.folder).links(given: options.links)
    let replica = try Replica(folder: options.folder + "/replica", model: .family)
    let book = FamilyBook(
      replica: replica, use: try await replica.space(joining: links[0]),
      limits: try await replica.space(joining: links[1]))
    let connections = [
      try replica.sync(book.use, joining: links[0]),
      try replica.sync(book.limits, joining: links[1]),
    ]
    say(what)
    let (ends, finish) = AsyncStream<Failure?>.makeStream()
    let stops = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { finish.yield(nil) }
      source.resume()
      return source
    }
    let agent = try Agent(
      book, screen: screen, options: options, say: say,
      end: { finish.yield($0) })
    // It runs for weeks, and needs little of what it needed to start.
    let giving = DispatchSource.makeTimerSource()
    giving.setEventHandler { ProgramCode.giveBack() }
    giving.schedule(
      deadline: .now() + .seconds(30), repeating: .seconds(3600), leeway: .seconds(10))
    giving.resume()
    var failure: Failure?
    for await end in ends {
      failure = end
      break
    }
    agent.stop()
    // The last word has a second to leave. What does not, leaves after the next start.
    if connections[0].state.value == .online { try await Task.sleep(for: .seconds(1)) }
    withExtendedLifetime((connections, stops, giving)) {}
    try replica.close()
    if let failure { throw failure }
    return 0
  }
}
