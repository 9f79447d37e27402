import CHostileDecoder
import ReunionMedia

let words = CommandLine.arguments
hostiledecoder_arm()
// With that argument it is a program that forgot to call runIfAsked(): it just waits.
if words.contains("started-without-asking") {
  while readLine() != nil {}
} else if words.contains("without-walls") {
  ImageWorker.runIfAsked(within: [])
} else if words.contains("without-seccomp") {
  ImageWorker.runIfAsked(within: ImageSandbox.ofThisMachine.subtracting(.seccomp))
} else if words.contains("no-reading") {
  ImageWorker.runIfAsked()
} else {
  // What is read of a picture: its size, its whole size, and its corners' colours.
  ImageWorker.runIfAsked { pixels in
    var read: [UInt8] = []
    for size in [pixels.width, pixels.height, pixels.wholeWidth, pixels.wholeHeight] {
      read += [UInt8(size >> 8), UInt8(size & 255)]
    }
    let last = (pixels.height - 1) * pixels.width
    for corner in [0, pixels.width - 1, last, last + pixels.width - 1] {
      read += pixels.bytes[(corner * 3)..<(corner * 3 + 3)]
    }
    return read + [pixels.bytes.count == pixels.width * pixels.height * 3 ? 1 : 0]
  }
}
if words.contains("render") {
  await renderLines()
} else if words.dropFirst().first?.hasPrefix("barcodes") == true {
  try await barcodeLines()
} else if !words.contains("started-without-asking") {
  print("started without being asked for pictures")
}
