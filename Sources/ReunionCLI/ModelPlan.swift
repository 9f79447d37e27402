import Foundation
import ReunionModel
import ReunionStore

/// What an upgrade to the newest version of a model does, a line a step.
struct ModelPlan {
  /// One thing that is done, for a person and for programs.
  struct Step {
    let word: String
    let subject: String
    let text: String
  }

  let steps: [Step]
  /// Whether rows of records are written, so that the guard watches it.
  let isGuarded: Bool

  /// From each earlier version: what a device does that has had all of them up to it.
  static func fromEachVersion(_ history: ModelHistory) throws -> [(version: Int, plan: ModelPlan)] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reunion-plan-\(UUID())")
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var plans: [(Int, ModelPlan)] = []
    for (index, file) in history.versions.dropLast().enumerated() {
      // An empty store goes through the versions, as one with records does.
      try Store.open(folder: folder, model: Model(file)).close()
      plans.append((index + 1, try ModelPlan(of: folder, to: history)))
    }
    return plans
  }

  init(_ plan: UpgradePlan) {
    steps = plan.steps.map {
      Step(word: $0.word, subject: $0.subject?.description ?? "", text: "\($0)")
    }
    isGuarded = plan.touchesRows
  }

  /// Of a store in a folder, which is read alone.
  init(of folder: String, to history: ModelHistory) throws {
    let plan = try Store.plan(folder: folder, model: Model(history.current))
    var steps = ModelPlan(plan).steps
    let added = plan.steps.compactMap { step -> UpgradeSubject? in
      if case .addField(let subject, _) = step { subject } else { nil }
    }
    for entity in history.current.entities {
      for lens in entity.lenses.map(\.line) {
        let isNew = added.contains {
          $0.entity == entity.line.number && lens.targets.contains($0.field ?? 0)
        }
        if isNew { steps.append(Step(lens, of: entity)) }
      }
    }
    self.steps = steps
    isGuarded = plan.touchesRows || steps.contains { $0.word == "compute" }
  }

  /// The lines for a person.
  var description: String {
    guard !steps.isEmpty else { return "Nothing is to be done." }
    return
      (steps.map { "- \($0.text)" } + [
        isGuarded
          ? "Records are written: a snapshot is kept, and everything is compared before it counts."
          : "No record is written: one transaction does all of it, or nothing."
      ]).joined(separator: "\n")
  }

  /// The fields of a JSON object.
  var json: [String: any Sendable] {
    [
      "guarded": isGuarded,
      "steps": steps.map { ["step": $0.word, "subject": $0.subject, "text": $0.text] },
    ]
  }
}

extension ModelPlan.Step {
  fileprivate init(_ lens: LensLine, of entity: ModelFile.Entity) {
    func names(_ numbers: [UInt32]) -> String {
      numbers.compactMap { entity.field($0)?.name }.joined(separator: ", ")
    }
    self.init(
      word: "compute", subject: "\(entity.line.name).\(names(lens.targets))",
      text: "compute \(names(lens.targets)) of \(entity.line.name) from \(names(lens.sources)), by"
        + " \(lens.conversion.text)")
  }
}
