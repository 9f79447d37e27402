import Foundation
import ReunionBluetooth
import Waiting

/// An app's own service, used by the command.
extension Story {
  /// `reunion bluetooth watch`, as somebody sees it who goes away and comes back.
  func watching(_ served: Child) async {
    let command = URL(filePath: program).deletingLastPathComponent().appending(path: "command").path
    await step("the command watches a device that goes away and comes back") {
      let watch = try Child(
        "watch",
        [
          command, "watch", "00:AA:01:00:00:42", "--adapter", "hci1", "--service",
          Plain.service.description,
        ]
          + ["--value", Plain.telling.description])
      defer { watch.kill() }
      try await eventually("it is connected") { watch.hasSaid("Connected.") }
      served.tell("good morning")
      try await eventually("the value is told") { watch.hasSaid("good morning") }
      let count = watch.lineCount
      try air("away")
      try await eventually("the loss is told") {
        watch.hasSaid("Connects as soon as it is in range.", after: count)
      }
      try air("back")
      try await eventually("it is connected again") {
        watch.hasSaid("Connected.", after: count)
      }
      served.tell("good evening")
      try await eventually("the value is told") { watch.hasSaid("good evening") }
      let leftCount = served.said("left").count
      watch.stop()
      guard try await watch.finish() == 0 else { throw LaneError("It did not end well.") }
      try await eventually("the connection ends with it") {
        served.said("left").count > leftCount
      }
      return nil
    }
  }
}
