import CHangingDecoder
import ReunionMedia

changingdecoder_arm()
// With that argument it is a program that forgot to call runIfAsked(): it just waits.
if CommandLine.arguments.contains("started-without-asking") {
  while readLine() != nil {}
} else {
  ImageWorker.runIfAsked()
  if CommandLine.arguments.contains("render") {
    await renderLines()
  } else if CommandLine.arguments.dropFirst().first?.hasPrefix("barcodes") == true {
    try await barcodeLines()
  } else {
    print("started without being asked for pictures")
  }
}
