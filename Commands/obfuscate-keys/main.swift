import Foundation
import ReunionKeys

// The tool of the build plugin: obfuscate-keys TYPE KEYS OUT
let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
  FileHandle.standardError.write(Data("obfuscate-keys TYPE KEYS OUT\n".utf8))
  exit(2)
}
func fail(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data("error: \(arguments[2]): \(sentence)\n".utf8))
  exit(1)
}

guard let text = try? String(contentsOfFile: arguments[2], encoding: .utf8) else {
  fail("The file could not be read: it should be text that this account may read.")
}
var source = ""
do {
  let list = try KeyList(text, environment: ProcessInfo.processInfo.environment)
  var random = SystemRandomNumberGenerator()
  source = try list.source(type: arguments[1], using: &random)
} catch {
  fail("\(error)")
}
do {
  try Data(source.utf8).write(to: URL(filePath: arguments[3]), options: .atomic)
} catch {
  fail("\(arguments[3]) could not be written: make room on the disk, or give rights to its folder.")
}
