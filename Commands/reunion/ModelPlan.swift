import Foundation
import Reunion
import ReunionModel

/// What an upgrade to the newest version of a model does, a line a step.
struct ModelPlan {
  private let plan: UpgradePlan

  /// From each earlier version: what a device does that has had all of them up to it.
  static func fromEachVersion(_ history: ModelHistory) throws -> [(version: Int, plan: ModelPlan)] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reunion-plan-\(UUID())")
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try (1..<history.versions.count).map { version in
      // An empty store goes through the versions, as one with records does.
      try Store.open(folder: folder, model: Model(history, version: version)).close()
      return (version, try ModelPlan(of: folder, to: history))
    }
  }

  init(_ plan: UpgradePlan) { self.plan = plan }

  /// Of a store in a folder, which is read alone.
  init(of folder: String, to history: ModelHistory) throws {
    plan = try Store.plan(
      folder: folder, model: Model(history, version: history.versions.count))
  }

  /// The lines for a person.
  var description: String { plan.description }

  /// The fields of a JSON object.
  var json: [String: any Sendable] {
    [
      "guarded": plan.touchesRows,
      "steps": plan.steps.map { step in
        [
          "step": step.word, "subject": step.subject?.description ?? "", "text": "\(step)",
        ]
      },
    ]
  }
}
