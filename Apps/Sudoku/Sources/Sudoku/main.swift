import Foundation
import ReunionMedia
import ReunionServer

ImageWorker.runIfAsked(reading: GrabReader.answer)
GrabCommand.runIfAsked()
// What people play is for this account alone.
umask(0o077)
ServerProgram("sudoku", help: Options.help).run { arguments in
  let service = try SudokuService(Options(arguments))
  try service.start()
  return service.stop
}
