import Foundation
import TestThreads
import Testing

/// Everything that reads bytes from outside reads hostile ones: no trap, no hang, and memory bounded by
/// the input (guarantee 12).
///
/// Each target reads in a process of its own, so that a trap ends that alone. A failure names a target
/// and a seed; `REUNION_FUZZ=TARGET:SEED` runs that again, and with `REUNION_FUZZ=TARGET` all of one target.
@Suite(.onOwnThread) struct FuzzTests {
  /// The inputs of `make faults`; `Web/tests/fuzz.test.mjs` has the others of the 5,000,000.
  static let inputsInFull = 4_900_000
  /// The part of the 30 s in `make test` that node leaves.
  static let seconds = 24.0

  struct Outcome {
    var count = 0
    /// How many were not refused.
    var takenCount = 0
    var failure: String?
  }

  private static let asked = ProcessInfo.processInfo.environment["REUNION_FUZZ"]?.split(
    separator: ":"
  ).map(String.init)

  /// Runs in a child process, and says what that told.
  private static func outcome(of run: FuzzRun) async -> Outcome {
    defer { try? FileManager.default.removeItem(at: run.folder) }
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [run = run as FuzzRun] in try await run() }
    return outcome(result)
  }

  private static func outcome(_ result: ExitTest.Result?) -> Outcome {
    let told = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let counts = told.split(separator: "\n").last { $0.hasPrefix("fuzzed ") }?
      .split(separator: " ").compactMap { Int($0) }
    guard let counts, counts.count == 2 else {
      let line = errors.split(separator: "\n").first { $0.hasPrefix("fuzz: ") }
      return Outcome(failure: line.map(String.init) ?? "fuzz: it ended: \(errors.suffix(2_000))")
    }
    return Outcome(count: counts[0], takenCount: counts[1])
  }

  @Test func `the sum of all targets is what make faults promises`() {
    #expect(FuzzTarget.all.reduce(0) { $0 + $1.inputsInFull } == Self.inputsInFull)
    #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
  }

  @Test func `no bytes from outside trap, hang, or cost more than their size`() async throws {
    let start = ContinuousClock.now
    var (inputs, targets, failures) = (0, 0, 0)
    for target in FuzzTarget.all {
      if let name = Self.asked?.first, name != target.name { continue }
      var run = FuzzRun(target: target.name)
      if let seed = Self.asked?.dropFirst().first.flatMap({ UInt64($0) }) {
        (run.first, run.inputsMax) = (seed, 1)
      } else if Extent.isFull || Self.asked != nil {
        run.inputsMax = target.inputsInFull
      } else {
        run.secondsMax = Self.seconds * target.share
      }
      let outcome = await Self.outcome(of: run)
      if let failure = outcome.failure {
        failures += 1
        print(
          "\(target.name): \(failure); again: REUNION_FUZZ=TARGET:SEED swift test --filter FuzzTests"
        )
      }
      print("  \(target.name): \(outcome.count) inputs, \(outcome.takenCount) taken")
      inputs += outcome.count
      targets += 1
    }
    let seconds = Int(start.duration(to: .now) / .seconds(1))
    print("fuzz: \(inputs) inputs over \(targets) targets in \(seconds) s, \(failures) traps")
    #expect(inputs > 0)
  }

  @Test func `every seeded bug of a reader is found, and its seed named`() async throws {
    for (target, says) in zip(FuzzTarget.bugs, ["trap in", "hang in", "grown by", "wrong in"]) {
      // Two seconds are for the one that hangs: any other process may stand still as long.
      let patience = says == "hang in" ? 2 : FuzzWatch.secondsMax
      let run = FuzzRun(target: target.name, secondsMax: 60, patienceSeconds: patience)
      let result = await #expect(
        processExitsWith: .failure,
        observing: [\.standardOutputContent, \.standardErrorContent]
      ) { [run = run as FuzzRun] in try await run() }
      let failure = Self.outcome(result).failure ?? ""
      #expect(failure.hasPrefix("fuzz: \(says)"), "\(target.name): \(failure)")
      #expect(failure.contains("\(target.name) at seed "))
    }
  }

  @Test func `a seed gives the same input again, and others give others`() throws {
    defer { try? FileManager.default.removeItem(at: Scratch.root) }
    for target in FuzzTarget.all {
      let mutation = try Mutation(target)
      let inputs = (1...200 as ClosedRange<UInt64>).map { mutation.input(seed: $0) }
      #expect(inputs == (1...200 as ClosedRange<UInt64>).map { mutation.input(seed: $0) })
      #expect(Set(inputs).count > 100)
      #expect(
        inputs.allSatisfy {
          $0.count <= max(target.bytesMax, mutation.samples.map(\.count).max() ?? 0)
        })
    }
  }
}

extension FuzzTarget {
  /// Its part of the time: a little for each, and the rest by its inputs.
  fileprivate var share: Double {
    let each = 0.4 / Double(Self.all.count)
    return each + 0.6 * Double(inputsInFull) / Double(FuzzTests.inputsInFull)
  }
}
