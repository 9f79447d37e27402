import Foundation
import ReunionModel

// The tool of the build plugin: generate-model FOLDER OUT
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("generate-model FOLDER OUT\n".utf8))
  exit(2)
}
do {
  let source = SwiftSource(try ModelHistory(contentsOf: arguments[1])).text
  try Data(source.utf8).write(to: URL(filePath: arguments[2]), options: .atomic)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
