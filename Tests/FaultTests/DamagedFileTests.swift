import ReunionCore
import ReunionStore
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

/// Files with flipped bits, cut off or with lost sectors: nothing traps, and no wrong answer is
/// given (guarantees 5, 10, 12).
@Suite(.onOwnThread) struct DamagedFileTests {
  /// What became of a damaged file.
  enum Outcome {
    case told, harmless
    /// The last commit in the log counts as one that a power cut tore.
    case lastCommitTorn
    /// An earlier state, with what the log held beyond a place gone.
    case logCutOff
  }

  /// A story's store as it lies on a disk, closed or as a crash leaves it with its log.
  struct Case {
    let story: Story
    let bugs: SeededBugs

    init(seed: UInt64, bugs: SeededBugs = []) throws {
      story = Story(seed: seed)
      self.bugs = bugs
      // So that the log keeps what was written last.
      story.options.checkpointPages = 1000
      for _ in 0..<30 { try story.step() }
      if story.store == nil { try story.step() }
      if seed % 3 != 0 { try story.close() }
    }

    /// Damages one file, in a copy of the disk, and looks.
    func run(_ random: inout SeededRandom) throws -> (what: String, outcome: Outcome) {
      let disk = story.disk.copy()
      let files = disk.paths.filter {
        $0.hasPrefix(Story.folder + "/") && !$0.hasSuffix("/lock") && !$0.contains("/partial/")
      }
      let databases = files.filter { $0.contains("store.sqlite") }
      let isDatabase = random.happens(0.7)
      guard let path = (isDatabase ? databases : files).randomElement(using: &random),
        case .file(let byteCount)? = try disk.status(of: path), byteCount > 0
      else { return ("nothing", .harmless) }
      let what: String
      if random.happens(0.8) {
        let bit = UInt64.random(in: 0..<byteCount * 8, using: &random)
        disk.flipBit(bit, of: path)
        what = "bit \(bit) of \(path)"
      } else {
        let length = UInt64.random(in: 0..<byteCount, using: &random)
        try disk.open(path, .writing).truncate(to: length)
        what = "\(path) cut off at \(length)"
      }
      return (what, try look(at: disk, what))
    }

    /// Takes the last bytes of the database, in a copy of the disk, and looks.
    func cutOff(_ missing: UInt64) throws -> Outcome {
      let disk = story.disk.copy()
      let path = Story.folder + "/store.sqlite"
      guard case .file(let byteCount)? = try disk.status(of: path), byteCount > missing else {
        return .harmless
      }
      try disk.open(path, .writing).truncate(to: byteCount - missing)
      return try look(at: disk, "\(path) without its last \(missing) bytes")
    }

    /// Opens, reads everything and verifies.
    private func look(at disk: SimulatedDisk, _ what: String) throws -> Outcome {
      let options = Story.options(
        disk, seed: story.seed &+ 1, bugs: bugs)
      do {
        let isSound = try !bugs.isEmpty || Verification(folder: Story.folder, on: disk).isSound
        let store = try Store.open(folder: Story.folder, model: model, options: options)
        let held = try Contents(of: store, blobs: story.blobs.keys)
        _ = try store.digest(of: space)
        try store.write(in: space) { try $0.create(Doc(id: store.newID())) }
        try store.close()
        if held == story.acknowledged { return isSound ? .harmless : .told }
        if held == story.history.last, what.hasSuffix("-wal") { return .lastCommitTorn }
        // What is cut off leaves no trace.
        if what.contains("-wal cut off"), story.history.contains(held) { return .logCutOff }
        guard !isSound else { throw Loss("\(what): a wrong answer, and nobody was told") }
        return .told
      } catch let error as StoreError {
        guard [.damaged, .blobMissing, .newerVersion, .notFound].contains(error.code) else {
          throw Loss("\(what): an error of another kind: \(error)")
        }
        return .told
      }
    }
  }

  static func run(
    seed: UInt64, count: Int, bugs: SeededBugs = []
  ) throws -> [Outcome: Int] {
    let each = try Case(seed: seed, bugs: bugs)
    var random = SeededRandom(seed: seed)
    var outcomes: [Outcome: Int] = [:]
    for _ in 0..<count { outcomes[try each.run(&random).outcome, default: 0] += 1 }
    return outcomes
  }

  @Test func `a damaged file is told of, and gives no wrong answer`() {
    let seeds: ClosedRange<UInt64> = Extent.seed.map { $0...$0 } ?? 1...(Extent.isFull ? 50 : 6)
    var outcomes: [Outcome: Int] = [:]
    for seed in seeds {
      do {
        outcomes.merge(try Self.run(seed: seed, count: 20)) { $0 + $1 }
      } catch {
        Issue.record("\(error); \(Extent.command(seed, "DamagedFileTests"))")
        return
      }
    }
    print(
      "faults: \(outcomes.values.reduce(0, +)) damaged files: \(outcomes[.told] ?? 0) told of,"
        + " \(outcomes[.harmless] ?? 0) without effect, \(outcomes[.lastCommitTorn] ?? 0) in the last"
        + " commit of a log, \(outcomes[.logCutOff] ?? 0) logs cut off, 0 traps, 0 wrong answers")
  }

  /// SQLite takes what is missing of a page for zeros, which may be a sound page with other values.
  @Test func `a database that ends within a page is told of`() throws {
    var told = 0
    for seed in UInt64(1)...6 {
      let each = try Case(seed: seed)
      for missing in [1, 8, 9, 400, 2000, 4088, 4095] as [UInt64] {
        told += try each.cutOff(missing) == .told ? 1 : 0
      }
    }
    #expect(told > 20)
    print("faults: \(told) databases that end within a page told of")
  }
}
