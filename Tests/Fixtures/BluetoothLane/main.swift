import Glibc

let words = Array(CommandLine.arguments.dropFirst())

/// The value of an option.
func option(_ name: String) -> String? {
  words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
}

do {
  switch words.first {
  case "air":
    let air = try Air(
      controllers: Int(option("--controllers") ?? "") ?? 2,
      seed: UInt64(option("--seed") ?? "") ?? 1, socket: option("--socket") ?? "/run/air",
      service: ["/usr/libexec/bluetooth/bluetoothd", "-n", "-d"],
      log: option("--log") ?? "/out/bluetoothd.log",
      trace: option("--trace") ?? "/out/trace.btsnoop")
    try air.run()
  case "peer": try await Peer.run(Array(words.dropFirst()))
  case "plain": try await Plain.run(Array(words.dropFirst()))
  case "frames": try await FrameBench.run(words[1])
  case "fake": try await FrameBench.fake(words[1])
  case "story":
    let story = try Story([option("--socket") ?? "/run/air"])
    try await story.messages(isWhole: words.contains("--whole"))
    await story.commands(isWhole: words.contains("--whole"))
    await story.sharing(isWhole: words.contains("--whole"))
    try await story.plain(
      python: option("--python"), script: option("--bleak") ?? "",
      isWhole: words.contains("--whole"))
    if words.contains("--whole") { await story.oursUsesTool() }
    exit(story.hasFailed ? 1 : 0)
  default:
    say("Say air, peer, plain, story or frames.")
    exit(2)
  }
} catch {
  say("✘ \(error)")
  exit(1)
}
