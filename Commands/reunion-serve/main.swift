import Foundation
import ReunionServer

// What the spaces hold is for this account alone.
umask(0o077)
ServerProgram("reunion serve", help: ServeOptions.help).run { arguments in
  let options = try ServeOptions(arguments)
  guard !options.isCheck else {
    print(try SpaceService.check(options))
    return nil
  }
  let service = try SpaceService(options)
  ServerProgram.say(try service.start())
  return service.stop
}
