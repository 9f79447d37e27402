import ReunionMedia

// With that argument it is a program that forgot to call runIfAsked(): it just waits.
if CommandLine.arguments.contains("started-without-asking") {
  while readLine() != nil {}
} else {
  ImageWorker.runIfAsked()
  print("started without being asked for pictures")
}
