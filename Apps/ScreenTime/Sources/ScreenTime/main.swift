import Foundation
import ReunionServer

// What a family uses is for this account alone.
umask(0o077)
ServerProgram("screentime", help: Options.help).run { arguments in
  let service = try ScreenTimeService(Options(arguments))
  ServerProgram.say(try service.start())
  return service.stop
}
