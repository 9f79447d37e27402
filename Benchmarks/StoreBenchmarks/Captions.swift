import Dispatch
import Foundation
import Reunion

/// A line of text, and maybe a photo, of which two processes are the ends: `StoreBenchmarks --captions write|read LINK
/// FOLDER BYTES`.
enum Captions {
  struct Post: Entity {
    let id: RecordID
    var writtenAt = 0
    var photo: Blob?

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Post>(
      3, "post", [.field(1, "writtenAt", \.writtenAt), .field(2, "photo", \.photo)])
  }

  private static let count = 150
  private static let pause = Duration.milliseconds(100)
  private static var now: Int { Int(DispatchTime.now().uptimeNanoseconds) }
  private static let caption = Workload.id(1)
  private static let photo = Workload.id(2)

  static func run(_ act: String, _ link: String, _ folder: String, photoBytes: Int) async throws {
    let replica = try Replica(folder: folder, model: Model(Post.schema))
    let space = try await replica.space(joining: link)
    try replica.sync(space, joining: link)
    if act == "write" {
      try await write(to: replica, space, photoBytes)
    } else {
      try await read(from: replica, space)
    }
    try replica.close()
  }

  /// Writes a caption again and again, ten a second, and a photo before it; says when the last one was written, and
  /// ends with standard input.
  private static func write(to replica: Replica, _ space: SpaceID, _ photoBytes: Int) async throws {
    try await replica.receipt(in: space).reached(.server)
    if photoBytes > 0 {
      var random = SystemRandomNumberGenerator()
      let words = (0..<photoBytes / 8).map { _ in random.next() }
      let reference = try replica.store.blobs.add(words.withUnsafeBytes { Array($0) }, in: space)
      try await replica.write(in: space) {
        var post = Post(id: photo)
        post.photo = .file(reference)
        try $0.create(post)
      }
    }
    for number in 0..<count {
      try await replica.write(in: space) {
        if number == 0 { try $0.create(Post(id: caption)) }
        try $0.set(\Post.writtenAt, of: caption, to: now)
      }
      try await Task.sleep(for: pause)
    }
    print(try await replica.fetch(Post.self, caption, in: space)?.writtenAt ?? 0)
    fflush(nil)
    _ = readLine()
  }

  /// Prints how many nanoseconds after it was written each caption is in this replica, whether the photo is on its way
  /// still, and when it was written.
  private static func read(from replica: Replica, _ space: SpaceID) async throws {
    let (commits, heard) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let watching = replica.store.observeCommits { commit in
      if commit.space == space { heard.yield() }
    }
    defer { watching.cancel() }
    print("ready")
    fflush(nil)
    var last = 0
    for await _ in commits {
      let arrived = now
      guard let post = try await replica.fetch(Post.self, caption, in: space),
        post.writtenAt != last
      else { continue }
      last = post.writtenAt
      guard last > 0 else { continue }
      let isCarried = try replica.store.blobs.missing(in: space).isEmpty ? 0 : 1
      print(arrived - last, isCarried, last)
      fflush(nil)
    }
  }
}
