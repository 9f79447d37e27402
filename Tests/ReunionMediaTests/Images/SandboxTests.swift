import Foundation
import ReunionCore
import Testing

@testable import ReunionMedia

/// What a decoder tries that a picture has taken over: by the numbers of `CHostileDecoder`.
enum HostileDecoder: Int32, CaseIterable {
  case opens, writes, connects, forks, forksByClone3, executes, signalsHost, signalsThread, traces
  case bringsCode

  /// Whether seccomp ends the process for it; else the call fails.
  var isFatal: Bool {
    switch self {
    case .opens, .writes, .forksByClone3, .bringsCode: false
    default: true
    }
  }

  /// What Landlock alone keeps from happening, by the version that the kernel has.
  static var heldByLandlock: [HostileDecoder] {
    let version = ImageSandbox.landlockVersion
    return [.opens, .writes, .executes] + (version >= 4 ? [.connects] : [])
      + (version >= 6 ? [.signalsHost, .signalsThread] : [])
  }
}

/// The same hostile decoder in a worker as it is, and where walls are missing.
@Suite(.serialized, .enabled(if: ImageSandbox.ofThisMachine.isSuperset(of: .whole)))
struct SandboxTests {
  private let studio: Studio
  private let good: String

  init() throws {
    studio = try Studio()
    good = try studio.file("good.jpg", Picture.quadrants(".jpg"))
  }

  /// How the worker ended in which the attempt was made.
  private func end(
    of attempt: HostileDecoder, in renderer: ImageRenderer, byOldThread: Bool = false
  ) async throws -> String {
    let width = (byOldThread ? 4400 : 4300) + attempt.rawValue
    let picture = try studio.file("hostile.png", Picture.quadrants(".png", width: width, height: 2))
    do throws(ImageError) {
      _ = try await renderer.render(picture, longEdges: [32])
      return "went on"
    } catch {
      #expect(error.code == .workerDied)
      return error.detail.replacing("closed, ", with: "")
    }
  }

  private func renderer(_ word: String) -> ImageRenderer {
    studio.renderer(arguments: [ImageWorker.argument, word], sandbox: [])
  }

  private static let ended = "signal 31, by its sandbox"

  @Test(arguments: HostileDecoder.allCases, [false, true])
  func `a decoder that was taken over gets nowhere, by any of its threads`(
    attempt: HostileDecoder, byOldThread: Bool
  ) async throws {
    let renderer = studio.renderer()
    let end = try await end(of: attempt, in: renderer, byOldThread: byOldThread)
    #expect(end == (attempt.isFatal ? Self.ended : "exit 65"))
    // It costs only itself.
    #expect(try await renderer.render(good, longEdges: [32]).renditions.count == 1)
  }

  @Test(arguments: HostileDecoder.allCases, [false, true])
  func `without walls each attempt succeeds (negative control)`(
    attempt: HostileDecoder, byOldThread: Bool
  ) async throws {
    let end = try await end(
      of: attempt, in: renderer("without-walls"), byOldThread: byOldThread)
    #expect(end == "exit 64")
  }

  @Test(arguments: HostileDecoder.heldByLandlock)
  func `the second wall holds alone`(attempt: HostileDecoder) async throws {
    #expect(try await end(of: attempt, in: renderer("without-seccomp")) == "exit 65")
  }

  @Test func `a worker with fewer walls than its machine has gets no picture`() async throws {
    for word in ["without-walls", "without-seccomp"] {
      let error = await #expect(throws: ImageError.self) {
        try await studio.renderer(arguments: [ImageWorker.argument, word])
          .render(good, longEdges: [32])
      }
      #expect(error?.code == .workerUnavailable)
      #expect(error?.detail.contains("no whole sandbox") == true)
    }
  }

  @Test func `every thread of the worker is filtered, and it has its socket alone`() async throws {
    let renderer = studio.renderer()
    let photo = try studio.file("photo.heic", Picture.quadrants(".heif[compression=hevc]"))
    _ = try await renderer.render(photo, longEdges: [32])
    let worker = try #require(renderer.state.identifier)
    let files = FileManager.default
    let threads = "/proc/\(worker)/task"
    // A decoder's thread may end meanwhile; the first one stays.
    #expect(files.fileExists(atPath: "\(threads)/\(worker)"))
    for thread in try files.contentsOfDirectory(atPath: threads) {
      guard
        let status = try? String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)
      else { continue }
      #expect(status.contains("NoNewPrivs:\t1"))
      #expect(status.contains("Seccomp:\t2"))
    }
    let open = try files.contentsOfDirectory(atPath: "/proc/\(worker)/fd").map {
      try files.destinationOfSymbolicLink(atPath: "/proc/\(worker)/fd/\($0)")
    }
    #expect(open.count { $0 == "/dev/null" } == 3 && open.count { $0.hasPrefix("socket:") } == 1)
    #expect(open.count == 4, "\(open)")
  }

  @Test func `every format is a sample, and passes`() throws {
    #expect(Set(SamplePicture.all.map(\.0)) == Set(ImageFormat.allCases))
    for (format, digits) in SamplePicture.all {
      let bytes = try #require(Hexadecimal.bytes(digits))
      let request = try #require(
        WorkerRequest(.render, longEdges: [7], limits: ImageLimits()))
      guard case .image(let image) = PictureDecoder.answer(request, to: bytes) else {
        Issue.record("\(format) does not pass")
        continue
      }
      #expect(image.format == format && image.width == 16)
    }
  }

  @Test func `says what a machine lacks, and nothing where it lacks nothing`() {
    #expect(ImageSandbox.whole.shortfall == nil)
    let landlock = ImageSandbox.whole.subtracting(.landlock)
    #expect(landlock.shortfall?.hasPrefix("This machine lacks Landlock, the second wall") == true)
    #expect(
      ImageSandbox.noNewPrivileges.shortfall?.hasPrefix(
        "This machine lacks seccomp and Landlock: a picture that takes over") == true)
    #expect(
      landlock.walls == ["noNewPrivileges": true, "seccomp": true, "landlock": false])
  }
}
