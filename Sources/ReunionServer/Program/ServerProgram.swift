import CScheduling
import Foundation
import ReunionCommandLine

/// A server as a program: it serves until somebody stops it, and fails with a sentence and a code.
///
/// ```swift
/// ServerProgram("notes-server", help: ServeOptions.help).run { arguments in
///   let service = try SpaceService(ServeOptions(arguments))
///   print(try service.start())
///   return service.stop
/// }
/// ```
///
/// It is what `main.swift` of a server ends with. Nothing of it throws: what its closure throws is
/// what the person who started it reads.
public struct ServerProgram: Sendable {
  /// Long enough for most of what one request takes.
  private static let turnNanoseconds: UInt64 = 500_000

  private let name: String
  private let help: String

  /// Makes a program with that name, with which its errors begin, and the text of its `--help`.
  public init(_ name: String, help: String) {
    self.name = name
    self.help = help
  }

  /// Writes a text and a line's end to standard output at once, even if that is a file or a pipe.
  /// There `print` waits for more. A full disk or a closed pipe loses it.
  public static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// Runs on the command line's arguments, and ends the process: with 0 if all went well, otherwise
  /// with 1 and the error on stderr, or with 2 where an option was not understood.
  ///
  /// `--help` and `-h`, wherever they are, print the help and end with 0 before `begin` is called.
  /// *Thread*: the main one, before there is a second.
  ///
  /// `begin` starts the server and returns what stops it, which the first SIGINT or SIGTERM calls;
  /// or nil if there is nothing to serve. What it prints arrives when it returns, also in a file or
  /// a pipe.
  public func run(_ begin: (_ arguments: [String]) throws -> (() -> Void)?) -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") || arguments.contains("-h") {
      print(help)
      exit(0)
    }
    // Before there is a second thread. This machine may decode pictures beside it.
    reunion_ask_for_turns(Self.turnNanoseconds)
    let signals = StopSignals()
    do {
      if let end = try begin(arguments) {
        fflush(nil)
        signals.wait()
        end()
      }
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
      exit((error as? ServerError)?.code == .invalidOption ? 2 : 1)
    }
  }
}
