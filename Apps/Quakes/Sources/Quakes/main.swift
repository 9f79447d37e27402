import Foundation
import Reunion

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.contains("-h") {
  print(Options.help)
  exit(0)
}
do {
  let options = try Options(arguments)
  let signals = StopSignals()
  let service = try QuakeService(options)
  try service.start()
  signals.wait()
  service.stop()
  exit(0)
} catch {
  FileHandle.standardError.write(Data("quakes: \(error)\n".utf8))
  exit(1)
}
