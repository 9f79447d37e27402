import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore

@testable import ReunionBluetooth
@testable import ReunionNearby

/// A random history of two replicas in a hostile medium, from one seed, and what must hold after
/// it: both are equal, hold what was written and not deleted, and lack no blob.
struct Walk {
  let seed: UInt64
  var storeBugs: SeededBugs = []

  /// What a walk came to.
  struct Outcome {
    var violations: [String] = []
    var writes = 0
    var cuts = 0
    var kills = 0
    var days = 0
  }

  func run() throws -> Outcome {
    var random = MediumRandom(seed: seed)
    var quality = RadioQuality()
    quality.mtu = [23, 185, 247, 517].randomElement(using: &random) ?? 517
    quality.lossChance = random.happens(0.5) ? Double.random(in: 0...0.05, using: &random) : 0
    quality.duplicateChance = random.happens(0.5) ? Double.random(in: 0...0.05, using: &random) : 0
    quality.reorderChance = random.happens(0.5) ? Double.random(in: 0...0.2, using: &random) : 0
    quality.cutChance = random.happens(0.5) ? Double.random(in: 0...0.005, using: &random) : 0
    let hikers = Hikers(seed: seed, quality: quality, storeBugs: storeBugs)
    var outcome = Outcome()
    try hikers.meet(as: random.happens(0.5) ? .edit : .admin)
    let isOnline = hikers.settle(within: .seconds(300), every: .seconds(1)) {
      hikers.anna.sync?.state.value == .online && hikers.ben.sync?.state.value == .online
    }
    guard isOnline else {
      outcome.violations.append("They did not meet. \(state(hikers.anna)), \(state(hikers.ben))")
      return outcome
    }
    if random.happens(0.5) { try hikers.addPhotos(50, by: hikers.ben) }
    var known: [RecordID] = []
    for _ in 0..<Int.random(in: 5...15, using: &random) {
      try act(hikers, &known, &random, &outcome)
      hikers.clock.advance(by: .milliseconds(Int.random(in: 0...2500, using: &random)))
    }
    judge(hikers, &outcome)
    return outcome
  }

  private func act(
    _ hikers: Hikers, _ known: inout [RecordID], _ random: inout MediumRandom,
    _ outcome: inout Outcome
  ) throws {
    let hiker = random.happens(0.5) ? hikers.anna : hikers.ben
    switch Int.random(in: 0..<14, using: &random) {
    case 0..<4:
      if let id = try hikers.add("\(hiker.name) \(random.next())", by: hiker) { known.append(id) }
      outcome.writes += 1
    case 4, 5:
      let id = known.randomElement(using: &random)
      guard let id, let replica = hiker.replica else { return }
      let (photo, text, deletes) = (
        try replica.fetch(Photo.self, id, in: hikers.space), "\(random.next())", random.happens(0.3)
      )
      guard photo != nil else { return }
      try replica.write(in: hikers.space) {
        if deletes {
          try $0.delete(Photo.self, id)
        } else {
          try $0.set(\Photo.caption, of: id, to: text)
        }
      }
      outcome.writes += 1
    case 6:
      let count = [100, 3000, 20_000, 150_000].randomElement(using: &random) ?? 100
      let bytes = someBytes(count, random.next())
      try hiker.replica?.write(in: hikers.space) { transaction in
        try transaction.create(Photo.self) { $0.preview = Blob(bytes) }
      }
      outcome.writes += 1
    case 7, 8:
      hikers.medium.cut(hikers.anna.radio, hikers.ben.radio)
      outcome.cuts += 1
    case 9:
      hikers.medium.part(hikers.anna.radio, hikers.ben.radio)
      outcome.cuts += 1
      let isDay = random.happens(0.3)
      if isDay { outcome.days += 1 }
      let seconds = isDay ? 86_400 : Int.random(in: 1...200, using: &random)
      hikers.clock.advance(by: .seconds(seconds))
      hikers.medium.meet(hikers.anna.radio, hikers.ben.radio)
    case 10:
      hiker.radio.setPower(false)
      hikers.clock.advance(by: .milliseconds(Int.random(in: 1...40_000, using: &random)))
      hiker.radio.setPower(true)
      if hiker === hikers.ben { hiker.bluetooth?.advertise() }
      outcome.cuts += 1
    case 11:
      hiker.radio.restartService()
      outcome.cuts += 1
    default:
      hikers.kill(hiker)
      outcome.kills += 1
      hikers.clock.advance(by: .milliseconds(Int.random(in: 1...60_000, using: &random)))
      try hikers.launch(hiker)
    }
  }

  private func judge(_ hikers: Hikers, _ outcome: inout Outcome) {
    var quality = hikers.medium.quality
    quality.cutChance = 0
    hikers.medium.quality = quality
    let isDone = hikers.settle(within: .seconds(3600), every: .seconds(1)) {
      hikers.isEqual && hikers.missing(hikers.anna) == 0 && hikers.missing(hikers.ben) == 0
    }
    guard isDone else {
      outcome.violations.append(
        "After an hour they differ, or lack \(hikers.missing(hikers.anna)) and "
          + "\(hikers.missing(hikers.ben)) blobs. anna: \(state(hikers.anna)), ben: \(state(hikers.ben))"
      )
      return
    }
    for hiker in [hikers.anna, hikers.ben] {
      if !hiker.refused.isEmpty { outcome.violations.append("Something was refused.") }
      if hiker.sync?.repairedCount.value ?? 0 > 0 {
        outcome.violations.append("Only an audit brought together what sync had not.")
      }
    }
  }

  private func state(_ hiker: Hikers.Hiker) -> String {
    "\(hiker.sync.map { "\($0.state.value)" } ?? "no sync"), connected: "
      + "\(hiker.peer?.isConnected.value ?? false)"
  }
}
