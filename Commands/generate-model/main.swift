import Foundation
import ReunionModel

// The tool of the build plugin, and of the pages' build: generate-model FOLDER OUT [--javascript]
let arguments = CommandLine.arguments
let isJavaScript = arguments.count == 4 && arguments[3] == "--javascript"
guard arguments.count == 3 || isJavaScript else {
  FileHandle.standardError.write(Data("generate-model FOLDER OUT [--javascript]\n".utf8))
  exit(2)
}
do {
  let history = try ModelHistory(contentsOf: arguments[1])
  let source = isJavaScript ? JavaScriptSource(history).text : SwiftSource(history).text
  try Data(source.utf8).write(to: URL(filePath: arguments[2]), options: .atomic)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
