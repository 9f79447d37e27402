import Foundation
import Glibc
import ReunionBluetooth
import ReunionCommandLine

/// A code as a picture for a camera, in a terminal. `reunion barcode` draws it, where that is beside this program,
/// so that this one has no barcodes in it.
enum CodePicture {
  static func draw(_ code: Invitation, _ output: Output) {
    guard !output.isJSON, isatty(STDOUT_FILENO) == 1 else { return }
    let reunion = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "reunion")
    guard FileManager.default.isExecutableFile(atPath: reunion.path) else { return }
    let drawing = Process()
    drawing.executableURL = reunion
    drawing.arguments = ["barcode", "qr", code.description]
    drawing.standardError = FileHandle.nullDevice
    guard (try? drawing.run()) != nil else { return }
    drawing.waitUntilExit()
  }
}
