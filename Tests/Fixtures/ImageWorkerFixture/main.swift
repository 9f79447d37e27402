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
} else {
  ImageWorker.runIfAsked()
}
if words.contains("render") {
  await renderLines()
} else if words.dropFirst().first?.hasPrefix("barcodes") == true {
  try await barcodeLines()
} else if !words.contains("started-without-asking") {
  print("started without being asked for pictures")
}
