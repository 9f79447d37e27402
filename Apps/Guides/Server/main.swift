import Foundation
import Reunion
import ReunionServer

// What the spaces hold is for this account alone.
umask(0o077)
ServerProgram("notes-server", help: ServeOptions.help).run { arguments in
  let service = try SpaceService(ServeOptions(arguments)) {
    $0.rule = TransactionRule { transaction in
      let texts = transaction.writes.compactMap { String(storedValue: $0.value) }
      return texts.contains { $0.count > 100 } ? "A note has a hundred letters at most." : nil
    }
  }
  print(try service.start())
  return service.stop
}
