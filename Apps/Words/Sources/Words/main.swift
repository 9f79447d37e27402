import Foundation
import ReunionServer

// What people play is for this account alone.
umask(0o077)
ServerProgram("words", help: Options.help).run { arguments in
  let service = try WordsService(Options(arguments))
  try service.start()
  return service.stop
}
