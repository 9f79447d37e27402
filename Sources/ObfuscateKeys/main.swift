import Foundation
import ReunionKeys

// The tool of the build plugin: obfuscate-keys TYPE KEYS OUT
let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
  FileHandle.standardError.write(Data("obfuscate-keys TYPE KEYS OUT\n".utf8))
  exit(2)
}
do {
  let text = try String(contentsOfFile: arguments[2], encoding: .utf8)
  let list = try KeyList(text, environment: ProcessInfo.processInfo.environment)
  var random = SystemRandomNumberGenerator()
  let source = try list.source(type: arguments[1], using: &random)
  try Data(source.utf8).write(to: URL(filePath: arguments[3]), options: .atomic)
} catch {
  FileHandle.standardError.write(Data("error: \(arguments[2]): \(error)\n".utf8))
  exit(1)
}
