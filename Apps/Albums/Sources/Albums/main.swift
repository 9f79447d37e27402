import Foundation
import Reunion
import ReunionMedia
import ReunionServer

ImageWorker.runIfAsked()
// Originals and their places are for this account alone.
umask(0o077)
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.contains("-h") {
  print(Options.help)
  exit(0)
}
do {
  let options = try Options(arguments)
  if options.listsPeople {
    guard FileManager.default.fileExists(atPath: "\(options.folder)/store.sqlite") else {
      throw Failure("There is no album in \(options.folder). Name its folder with --data.")
    }
    print(try AlbumFolder(options.folder, name: nil).people())
    exit(0)
  }
  let signals = StopSignals()
  let service = try AlbumService(options)
  try service.start()
  signals.wait()
  service.stop()
  exit(0)
} catch {
  FileHandle.standardError.write(Data("albums: \(error)\n".utf8))
  exit(1)
}
