import Foundation
import ReunionMedia
import ReunionServer

ImageWorker.runIfAsked()
// Originals and their places are for this account alone.
umask(0o077)
ServerProgram("albums", help: Options.help).run { arguments in
  let options = try Options(arguments)
  guard !options.listsPeople else {
    print(try AlbumFolder.people(in: options.server.folder))
    return nil
  }
  let service = try AlbumService(options)
  try service.start()
  return service.stop
}
