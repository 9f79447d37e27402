import Foundation

/// Reads inputs of one target, in a process of its own.
struct FuzzRun: Codable {
  let target: String
  /// The first seed; inputs go to readers by their seeds, so that one repeats with those before it.
  var first: UInt64 = 1
  /// It ends after this many inputs, or after this time.
  var inputsMax = Int.max
  var secondsMax = Double.greatestFiniteMagnitude
  /// Where its files are: whoever starts it removes them, however it ends.
  var folder = Scratch.newRoot()
  /// For how long one input may be read.
  var patienceSeconds = FuzzWatch.secondsMax

  /// Reads on a thread of its own, which may wait for tasks; writes the count to standard output. What
  /// is found ends the process.
  func callAsFunction() async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try read() }) }
    }
  }

  private func read() throws {
    Scratch.root = folder
    guard let target = FuzzTarget.named(target) else {
      FuzzWatch.fail("no target \(target)")
    }
    let mutation = try Mutation(target)
    let start = ContinuousClock.now
    var takenCount = 0
    var (count, seed) = (0, first - (first - 1) % UInt64(target.inputsPerReader))
    var reader = try target.reader()
    // Each sample once, so that what a reader makes for good is there.
    for sample in mutation.samples { try? reader(sample) }
    FuzzWatch.begin(target.name, secondsMax: patienceSeconds)
    let heldAtFirst = FuzzWatch.peakBytes
    FuzzWatch.limitMemory(toGrowBy: 2 << 30)
    reader = try target.reader()
    while count < inputsMax || seed <= first,
      Double(start.duration(to: .now) / .seconds(1)) < secondsMax
    {
      if count > 0, (seed - 1) % UInt64(target.inputsPerReader) == 0 {
        reader = try target.reader()
      }
      let input = mutation.input(seed: seed)
      let before = FuzzWatch.peakBytes
      FuzzWatch.read(seed)
      do {
        try reader(input)
        takenCount += 1
      } catch let finding as FuzzTarget.Finding {
        FuzzWatch.fail("wrong in \(target.name) at seed \(seed): \(finding)")
      } catch {}
      let grown = FuzzWatch.peakBytes - before
      if grown > FuzzWatch.growthBytesMax {
        FuzzWatch.fail("grown by \(grown >> 20) MiB in \(target.name) at seed \(seed)")
      }
      seed += 1
      count += 1
    }
    let kept = FuzzWatch.peakBytes - heldAtFirst
    if kept > 4 * FuzzWatch.growthBytesMax {
      FuzzWatch.fail("grown by \(kept >> 20) MiB in \(target.name) over \(count) inputs")
    }
    print("fuzzed \(count) \(takenCount)")
  }
}
