import Foundation
import ScreenTimeDesktop

// What it prints arrives at once, also in a file or a pipe.
let say: @Sendable (String) -> Void = { text in
  FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
do {
  exit(
    try await AgentProgram.run(
      Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
      say: say))
} catch {
  FileHandle.standardError.write(Data("screentime-agent: \(error)\n".utf8))
  exit(1)
}
