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
    let (events, tell) = AsyncStream<Event>.makeStream()
    let stops = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { tell.yield(.end(nil)) }
      source.resume()
      return source
    }
    let agent = try Agent(
      book, screen: screen, options: options, say: say,
      end: { tell.yield(.end($0)) })
    let watching = connections.indices.map { index in
      connections[index].state.observe { state in
        switch state {
        case .online: tell.yield(.online(index))
        case .blocked(let reason): tell.yield(.blocked(index, reason))
        default: break
        }
      }
    }
    // It runs for weeks, and needs little of what it needed to start, and to join.
    let giving = DispatchSource.makeTimerSource()
    giving.setEventHandler { ProgramCode.giveBack() }
    func giveBackLater() {
      giving.schedule(
        deadline: .now() + .seconds(30), repeating: .seconds(3600), leeway: .seconds(10))
    }
    giveBackLater()
    giving.resume()
    var (failure, wasOnline, isPutOut) = (Failure?.none, false, false)
    var tries = connections.map { _ in 1 }
    waiting: for await event in events {
      switch event {
      case .end(let end):
        failure = end
        break waiting
      case .online(let index):
        tries[index] = 1
        guard !wasOnline, connections.allSatisfy({ $0.state.value == .online }) else { continue }
        wasOnline = true
        ProgramCode.giveBack()
        giveBackLater()
      case .blocked(_, Self.putOut):
        isPutOut = true
        break waiting
      case .blocked(let index, let reason):
        // A session that ends does not say why: who asks again is told.
        tries[index] -= 1
        if tries[index] >= 0 {
          connections[index].connect()
        } else {
          say("\(index == 0 ? "What is used is not sent" : "Limits do not come"): \(reason)")
        }
      }
    }
    agent.stop()
    // The last word has a second to leave. What does not, leaves after the next start.
    if connections[0].state.value == .online { try await Task.sleep(for: .seconds(1)) }
    withExtendedLifetime((connections, watching, stops, giving)) {}
    try replica.close()
    if isPutOut {
      for name in ["replica", "links", "device"] {
        try FileManager.default.removeItem(atPath: "\(options.folder)/\(name)")
      }
      say("The family follows this device no more. What was kept here of it is deleted.")
    }
    if let failure { throw failure }
    return 0
  }

  /// What the program waits for.
  private enum Event: Sendable {
    /// The end, for a reason where it was not asked for.
    case end(Failure?)
    /// One of the connections stands.
    case online(Int)
    /// One of the connections ended, for a reason.
    case blocked(Int, String)
  }

  /// What a server says to a device that was put out.
  private static let putOut = "The host has removed this device. Ask the host for a new link."
}
