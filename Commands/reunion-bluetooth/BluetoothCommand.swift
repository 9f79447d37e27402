import Dispatch
import Glibc
import Reunion
import ReunionBluetooth
import ReunionNearby
import ReunionCommandLine

/// The program `reunion-bluetooth`, which `reunion bluetooth` runs.
@main
enum BluetoothCommand {
  static let verbs = [
    ScanVerb.verb, WatchVerb.verb, ServeVerb.verb, JoinVerb.verb, ReceiveVerb.verb,
    SendVerb.verb, BenchVerb.verb,
  ]

  static let help = """
    Usage: reunion bluetooth VERB [options] [--json]

    Finds and uses devices over Bluetooth LE, syncs stores and exchanges messages with other computers that run
    this, with no network. It needs BlueZ (bluetoothd) and an adapter, and no administrator.

    \(verbs.map { $0.line }.joined(separator: "\n"))

      --adapter hci0        the adapter; without it the first that is switched on
      --folder FOLDER       where the key of this device, known devices and messages are kept;
                            without it reunion-bluetooth. For join the store; without it reunion-shared
      --space ID            which space serve shares, where the store has several
      --for 10s             how long to listen or to stay: 30s, 5m, 1h
      --service ID          a service, such as 180d, as often as needed
      --value ID            a characteristic to be told of, as often as needed
      --messages 20 --bytes 4096
                            how many messages bench sends, and how long each is

    Exit codes: 0 done, 1 failed, 2 not understood, 3 Bluetooth cannot be used: the sentence says what to do,
    4 nobody was found.
    """

  static func main() {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    let output = Output(isJSON: arguments.take("--json"))
    let isStoppable = verbs.contains { $0.isStoppable && $0.name == arguments.first }
    // Before there are other threads.
    let stop = isStoppable ? StopSignals() : nil
    Task.detached { [arguments] in
      do {
        try await run(arguments, output, stop)
        exit(0)
      } catch {
        let failure = failure(of: error)
        output.fail(failure)
        exit(failure.exitCode)
      }
    }
    // `dispatchMain` would take signals again.
    DispatchSemaphore(value: 0).wait()
  }

  private static func run(
    _ given: Arguments, _ output: Output, _ stop: StopSignals?
  ) async throws {
    var arguments = given
    let wantsHelp = arguments.take("--help") || arguments.take("-h")
    guard let word = arguments.first, word != "help", !wantsHelp else {
      guard wantsHelp || arguments.first == "help" else {
        throw CommandFailure(2, "Say what to do.", help: help)
      }
      return output.say(["help": help], help)
    }
    guard let verb = verbs.first(where: { $0.name == word }) else {
      throw CommandFailure(2, "\(word.onOneLine) is not a verb of reunion bluetooth.", help: help)
    }
    arguments.drop(1)
    do {
      let invocation = try Invocation(&arguments, output, stop)
      let usage = "Usage: reunion bluetooth \(verb.name) \(verb.words)"
      try await verb.run(invocation, arguments.rest(verb.count, or: usage))
    } catch let error as Misunderstood {
      throw CommandFailure(2, error.sentence, help: help)
    }
  }

  private static func failure(of error: any Error) -> CommandFailure {
    switch error {
    case let failure as CommandFailure: failure
    case let error as BluetoothError:
      CommandFailure(error.code == .notFound ? 4 : 1, error.description)
    case let error as StoreError: CommandFailure(1, error.description)
    case let error as MemberError: CommandFailure(1, error.description)
    default: CommandFailure(1, "Something unexpected failed: \(error)")
    }
  }
}

/// A verb of the program: what it says of itself, and what it does.
struct BluetoothVerb: Sendable {
  let name: String
  /// The words that follow on the verb, as the help shows them.
  let words: String
  let summary: String
  let count: ClosedRange<Int>
  /// Whether it ends in good order when somebody stops it.
  let isStoppable: Bool
  let run: @Sendable (Invocation, [String]) async throws -> Void

  init(
    _ name: String, words: String = "", _ summary: String, count: ClosedRange<Int> = 0...0,
    isStoppable: Bool = false,
    run: @escaping @Sendable (Invocation, [String]) async throws -> Void
  ) {
    self.name = name
    self.words = words
    self.summary = summary
    self.count = count
    self.isStoppable = isStoppable
    self.run = run
  }

  /// Its line of the help.
  var line: String {
    let head = words.isEmpty ? name : "\(name) \(words)"
    let gap = String(repeating: " ", count: max(2, 22 - head.count))
    return "  \(head)\(gap)\(summary)"
  }
}
