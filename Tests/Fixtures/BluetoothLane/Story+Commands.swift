import Foundation
import Waiting

extension Story {
  /// The command, as two people use it.
  func commands(isWhole: Bool) async {
    let command = URL(filePath: program).deletingLastPathComponent().appending(path: "command").path
    await step("the command receives on one side what it sends on the other") {
      let receiving = try Child(
        "receive", [command, "receive", "--adapter", "hci0", "--folder", "\(folder)/receive"])
      defer { receiving.kill() }
      // On the other device: reunion bluetooth send CODE 'Hello'
      let code = try await find("a code is printed") { receiving.said("On").first?[7] }
      let sending = try Child(
        "send",
        [command, "send", code, "Hello", "--adapter", "hci1", "--folder", "\(folder)/send"])
      guard try await sending.finish() == 0 else { throw LaneError("It was not sent.") }
      guard receiving.said("Hello").count == 1 else { throw LaneError("It did not come once.") }
      return nil
    }
    guard isWhole else { return }
    await step("the command measures against the other side") {
      let receiving = try Child(
        "receive", [command, "receive", "--adapter", "hci0", "--folder", "\(folder)/receive"])
      defer { receiving.kill() }
      // The sender's folder knows the other side already, by the code of before.
      let code = try await find("a code is printed") { receiving.said("On").first?[7] }
      let measuring = try Child(
        "bench",
        [command, "bench", code, "--messages", "5", "--bytes", "2000", "--adapter", "hci1"]
          + ["--folder", "\(folder)/send"])
      guard try await measuring.finish() == 0 else {
        throw LaneError("It was not measured.")
      }
      let arrived = receiving.said("2000").count
      guard arrived == 5 else { throw LaneError("\(arrived) of 5 messages arrived.") }
      return measuring.lines(with: "Met after").first
    }
  }
}
