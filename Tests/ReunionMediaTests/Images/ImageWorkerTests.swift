import Foundation
import Testing
import Waiting

@testable import ReunionMedia

@Suite(.serialized) struct ImageWorkerTests {
  private let studio: Studio
  private let good: String

  init() throws {
    studio = try Studio()
    good = try studio.file("good.jpg", Picture.quadrants(".jpg"))
  }

  /// Stops the worker, asks for a picture, and waits until the worker has the request.
  private func interrupted(
    _ renderer: ImageRenderer, then act: (Int32) -> Void
  ) async throws -> ImageError.Code? {
    _ = try await renderer.render(good, longEdges: [32])
    let worker = try #require(renderer.state.identifier)
    kill(worker, SIGSTOP)
    let path = good
    async let picture = renderer.render(path, longEdges: [32])
    // It may have been given up before somebody looked.
    try await eventually("the worker has the request") {
      renderer.state.isBusy || renderer.state.identifier != worker
    }
    act(worker)
    do {
      _ = try await picture
      return nil
    } catch let error as ImageError {
      return error.code
    }
  }

  @Test func `a picture that kills the worker costs only itself`() async throws {
    let renderer = studio.renderer()
    #expect(try await interrupted(renderer) { kill($0, SIGKILL) } == .workerDied)
    #expect(try await renderer.render(good, longEdges: [32]).renditions.count == 1)
    #expect(renderer.state.workersStarted == 2)
  }

  @Test func `a worker that is only interrupted goes on`() async throws {
    let renderer = studio.renderer()
    #expect(try await interrupted(renderer) { kill($0, SIGCONT) } == nil)
    #expect(renderer.state.workersStarted == 1)
  }

  @Test func `a picture that takes too long is given up`() async throws {
    var limits = ImageLimits.patient
    // The good ones have as long, on a machine that is busy.
    limits.secondsMax = 10
    let renderer = studio.renderer(limits)
    #expect(try await interrupted(renderer) { _ in } == .tooSlow)
    #expect(try await renderer.render(good, longEdges: [32]).renditions.count == 1)
  }

  @Test(arguments: [SIGALRM, SIGXCPU])
  func `a picture that uses up its worker's own time is given up`(signal: Int32) async throws {
    let renderer = studio.renderer()
    let code = try await interrupted(renderer) {
      kill($0, signal)
      kill($0, SIGCONT)
    }
    #expect(code == .tooSlow)
    #expect(try await renderer.render(good, longEdges: [32]).renditions.count == 1)
  }

  @Test func `a worker that died while idle costs no picture`() async throws {
    let renderer = studio.renderer()
    _ = try await renderer.render(good, longEdges: [32])
    let worker = try #require(renderer.state.identifier)
    kill(worker, SIGKILL)
    // Its files are closed when the last of its threads is gone.
    try await eventually("the worker is dead") {
      try status(of: worker, contains: "State:\tZ") && threads(of: worker) <= 1
    }
    #expect(try await renderer.render(good, longEdges: [32]).renditions.count == 1)
    #expect(renderer.state.workersStarted == 2)
  }

  @Test func `a fresh worker takes over after its share of pictures`() async throws {
    var limits = ImageLimits.patient
    limits.picturesPerWorker = 3
    let renderer = studio.renderer(limits)
    for _ in 0..<7 { _ = try await renderer.render(good, longEdges: [32]) }
    #expect(renderer.state.workersStarted == 3)
  }

  @Test func `memory is bounded, and running out costs one picture`() async throws {
    var limits = ImageLimits.patient
    // A worker takes 236 MiB of address space before any picture, and 8 MiB a thread.
    limits.memoryBytesMax = 320 << 20
    let renderer = studio.renderer(limits)
    let large = try studio.file(
      "large", Picture.quadrants(".png[interlace,compression=1]", width: 6000, height: 6000))
    // What a picture takes may not be given back when the next one comes: that meets a fresh worker.
    for workers in [1, 3] {
      let error = await #expect(throws: ImageError.self) {
        try await renderer.render(large, longEdges: [320])
      }
      #expect(error?.code == .tooLargeForMemory)
      #expect(renderer.state.workersStarted == workers)
      #expect(try await renderer.render(good, longEdges: [32]).renditions.count == 1)
      #expect(renderer.state.workersStarted == workers + 1)
    }
    #expect(try await Studio.renderer.render(large, longEdges: [320]).width == 6000)
  }

  @Test func `no shortage of the worker makes a good picture a damaged one`() async throws {
    var codes: [ImageError.Code?] = []
    // From too little for a worker, over too little for its threads, to enough.
    for mebibytes in stride(from: 200, through: 320, by: 8) {
      var limits = ImageLimits.patient
      limits.memoryBytesMax = mebibytes << 20
      do throws(ImageError) {
        // The last one must start, however busy the machine is.
        let seconds = mebibytes < 320 ? 10 : 60
        let renderer = studio.renderer(limits, startSecondsMax: seconds)
        _ = try await renderer.render(good, longEdges: [32])
        codes.append(nil)
      } catch {
        codes.append(error.code)
      }
    }
    #expect(codes.first == .workerUnavailable && codes.last == .some(nil), "\(codes)")
    #expect(Set(codes).isSubset(of: [nil, .workerUnavailable, .tooLargeForMemory]), "\(codes)")
  }

  @Test func `calls at once are answered each with its own picture`() async throws {
    let renderer = studio.renderer()
    let paths = try (1...12).map { index in
      try studio.file(
        "\(index)", Picture.quadrants(".png", width: Int32(10 + index), height: 10))
    }
    let widths = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for (index, path) in paths.enumerated() {
        group.addTask { (index, try await renderer.render(path, longEdges: [32]).width) }
      }
      return try await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
    }
    #expect((0..<12).allSatisfy { widths[$0] == 11 + $0 })
    #expect(renderer.state.workersStarted == 1)
  }

  @Test func `the worker ends with its renderer`() async throws {
    var renderer: ImageRenderer? = studio.renderer()
    _ = try await renderer?.render(good, longEdges: [32])
    let worker = try #require(renderer?.state.identifier)
    #expect(kill(worker, 0) == 0)
    renderer = nil
    try await eventually("the worker is gone") { kill(worker, 0) != 0 }
  }

  @Test func `the worker has no environment, no files, and bounds`() async throws {
    let renderer = studio.renderer(ImageLimits())
    _ = try await renderer.render(good, longEdges: [32])
    let worker = try #require(renderer.state.identifier)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/fd")
    #expect(open.count <= 8, "\(open)")
    let environment = try Data(contentsOf: URL(filePath: "/proc/\(worker)/environ"))
    #expect(environment.range(of: Data("HOME=".utf8)) == nil)
    let limits = try String(contentsOfFile: "/proc/\(worker)/limits", encoding: .utf8)
    #expect(limits.contains(#/Max file size +0 +0/#))
    #expect(limits.contains(#/Max core file size +0 +0/#))
    let computing = try #require(limits.firstMatch(of: #/Max cpu time +(\d+) /#)?.1)
    #expect((2...10).contains(Int(computing) ?? 0), "\(computing) seconds")
    let memory = try #require(ImageLimits().memoryBytesMax)
    #expect((1536 << 20...4096 << 20).contains(memory))
    #expect(limits.contains(try Regex("Max address space +\(memory) ")))
  }

  @Test func `a program that forgot to become the worker is told so`() async throws {
    for arguments in [["started-without-asking"], ["exits"]] {
      do throws(ImageError) {
        _ = try await studio.renderer(arguments: arguments, startSecondsMax: 1)
          .render(good, longEdges: [32])
        Issue.record("rendered by an impostor")
      } catch {
        #expect(error.code == .workerUnavailable)
        #expect(error.detail.contains("runIfAsked"))
      }
    }
    let missing = ImageRenderer(program: "/nowhere", arguments: [], limits: ImageLimits())
    do throws(ImageError) {
      _ = try await missing.render(good, longEdges: [32])
      Issue.record("rendered by nothing")
    } catch {
      #expect(error.code == .workerUnavailable)
    }
  }

  private func threads(of process: Int32) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count
  }

  private func status(of process: Int32, contains text: String) throws -> Bool {
    try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).contains(text)
  }

  @Test func `a request whose limit is below zero is none`() throws {
    let request = try #require(
      WorkerRequest(.render, longEdges: [320], limits: ImageLimits()))
    var packed = request.packed
    #expect(WorkerRequest(packed: packed) == request)
    // After the kind, the picture's bytes and the pixels.
    packed.replaceSubrange(17..<25, with: [UInt8](repeating: 0xff, count: 8))
    #expect(WorkerRequest(packed: packed) == nil)
  }
}
