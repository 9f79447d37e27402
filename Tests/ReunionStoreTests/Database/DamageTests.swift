import Foundation
import ReunionCore
import ReunionDisk
import ReunionTools
import Testing

@testable import ReunionStore

@Suite struct DamageTests {
  let folder = Folder()

  private func fill(checksums: Bool = true) throws -> [Photo] {
    let store = try folder.open { $0.checksums = checksums }
    let photos = (0..<60).map { number in
      var photo = Photo(id: RecordID(high: 1, low: UInt64(number)))
      photo.caption = String(repeating: "caption \(number) ", count: 30)
      photo.width = number
      return photo
    }
    try store.write(in: space) { transaction in
      for photo in photos { try transaction.create(photo) }
    }
    try store.close()
    return photos
  }

  /// Opens the store of a damaged file: every answer is the right one, or a typed error.
  ///
  /// - Returns: whether the damage was reported, and whether an answer was wrong.
  private func probe(
    _ bytes: Data, _ photos: [Photo], checksums: Bool = true
  ) throws -> (isReported: Bool, isWrong: Bool) {
    let copy = try folder.copy()
    try bytes.write(to: URL(fileURLWithPath: copy.database))
    do {
      let store = try copy.open { $0.checksums = checksums }
      let found = try store.fetch(Query<Photo>(in: space))
      _ = try store.digest(of: space)
      try store.write(in: space) { try $0.set(\Photo.caption, of: photos[3].id, to: "new") }
      return (false, found != photos)
    } catch let error as StoreError {
      let codes: [StoreError.Code] = [.damaged, .notFound, .ioFailed, .invalidModel, .unexpected]
      #expect(codes.contains(error.code), "\(error)")
      return (true, false)
    }
  }

  @Test(arguments: [true, false])
  func `finds flipped bits; without checksums they pass`(checksums: Bool) throws {
    let photos = try fill(checksums: checksums)
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    #expect(try probe(whole, photos, checksums: checksums) == (false, false))
    var random = Seeded(state: 42)
    var (reported, wrong) = (0, 0)
    for _ in 0..<100 {
      var bytes = whole
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      let result = try probe(bytes, photos, checksums: checksums)
      if result.isReported { reported += 1 }
      if result.isWrong { wrong += 1 }
    }
    print(
      "faults: checksums \(checksums): of 100 flips \(reported) reported, \(wrong) wrong answers")
    if checksums { #expect(wrong == 0) } else { #expect(wrong > 0) }
  }

  /// The pages of each table and index, by number from 1, as SQLite's own table of them says.
  private func pages() throws -> [Int: String] {
    let connection = try DatabaseConnection(path: folder.database, on: .system, readOnly: true)
    defer { connection.close() }
    let statement = try connection.statement("SELECT pageno, name FROM dbstat")
    var pages: [Int: String] = [:]
    while try statement.step() { pages[Int(statement.int(0))] = statement.text(1) }
    statement.reset()
    return pages
  }

  @Test func `reports flips of every page that holds records, to whoever reads them`() throws {
    let photos = try fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let pages = try pages().filter { $0.value == "reunion_record_3" }.keys.sorted()
    #expect(pages.count >= 8)
    var random = Seeded(state: 7)
    var (flipped, detected) = (0, 0)
    for page in pages {
      // Its header, where its cells are named, what they say, and the checksum itself.
      for bytes in [0..<8, 8..<40, 40..<4088, 40..<4088, 4088..<4096] {
        var damaged = whole
        let byte = (page - 1) * 4096 + Int.random(in: bytes, using: &random)
        damaged[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        flipped += 1
        let found = try probe(damaged, photos)
        if found == (true, false) { detected += 1 }
      }
    }
    #expect(detected == flipped)
    print(
      "faults: flips of \(pages.count) pages that hold records: detected \(detected) / flipped \(flipped)"
    )
  }

  @Test func `reports flips of every page of a store, when it is verified`() throws {
    _ = try fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let pages = try pages()
    var random = Seeded(state: 8)
    var (flipped, detected) = (0, 0)
    for page in pages.keys.sorted() {
      let copy = try folder.copy()
      var damaged = whole
      damaged[(page - 1) * 4096 + Int.random(in: 0..<4096, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      try damaged.write(to: URL(fileURLWithPath: copy.database))
      flipped += 1
      if try !Verification(folder: copy.path).isSound { detected += 1 }
    }
    #expect(detected == flipped && flipped >= pages.count)
    print(
      "faults: flips of all \(pages.count) pages in use: detected \(detected) / flipped \(flipped)")
  }

  @Test func `reports flips of every frame of a log before its last commit`() throws {
    let store = try folder.open { $0.checkpointPages = 1000 }
    var photos: [Photo] = []
    for number in 0..<12 {
      var photo = Photo(id: RecordID(high: 1, low: UInt64(number)))
      photo.caption = String(repeating: "caption \(number) ", count: 100)
      try store.write(in: space) { [photo] in try $0.create(photo) }
      photos.append(photo)
    }
    // As a kill leaves it.
    let left = try folder.copy()
    try store.close()
    let log = left.database + "-wal"
    let whole = try Data(contentsOf: URL(fileURLWithPath: log))
    let frames = Array(stride(from: 32, to: whole.count, by: 4096 + 24))
    let commits = frames.filter { whole[$0 + 4..<$0 + 8] != Data(count: 4) }
    var random = Seeded(state: 9)
    var (flipped, detected) = (0, 0)
    for frame in frames.prefix(while: { $0 <= commits[commits.count - 2] }) {
      var damaged = whole
      damaged[frame + Int.random(in: 0..<4096 + 24, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      let copy = try left.copy()
      try damaged.write(to: URL(fileURLWithPath: copy.database + "-wal"))
      flipped += 1
      if isCode(.damaged, { _ = try copy.open() }) { detected += 1 }
    }
    #expect(detected == flipped && flipped > 20)
    print("faults: flips of the frames of a log: detected \(detected) / flipped \(flipped)")
  }

  @Test func `reports a file that is cut off, empty, missing or something else`() throws {
    let photos = try fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    for count in [1, 99, 100, 4096, 4097, whole.count / 2, whole.count - 1] {
      #expect(try probe(whole.prefix(count), photos).isWrong == false)
    }
    #expect(try probe(Data(), photos).isReported)
    #expect(try probe(Data(repeating: 7, count: 9000), photos).isReported)
    #expect(try probe(Data("SQLite format 3\0".utf8) + Data(count: 9000), photos).isReported)
    try FileManager.default.removeItem(atPath: folder.database)
    #expect(isCode(.damaged) { _ = try folder.open() })
    #expect(!FileManager.default.fileExists(atPath: folder.database))
  }

  /// Whether this machine lets us mount a small disk of our own.
  private static let canMount: Bool = {
    let folder = Folder()
    guard geteuid() == 0, mkdir(folder.path, 0o700) == 0, mount(folder) else { return false }
    return system("umount \(folder.path)") == 0
  }()

  private static func mount(_ folder: Folder) -> Bool {
    system("mount -t tmpfs -o size=1m reunion \(folder.path) 2>/dev/null") == 0
  }

  @Test(.enabled(if: canMount, "this machine lets nobody mount a small disk"))
  func `goes on when there is room again on a full disk`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try #require(Self.mount(folder))
    defer { #expect(system("umount \(folder.path)") == 0) }
    let store = try folder.open()
    defer { try? store.close() }
    var written: [RecordID] = []
    var refused = 0
    for round in 0..<3 {
      for _ in 0..<400 {
        let id = store.newID()
        do {
          try store.write(in: space) { transaction in
            var photo = Photo(id: id)
            photo.bytes = [UInt8](repeating: UInt8(round), count: 900)
            try transaction.create(photo)
          }
          written.append(id)
        } catch let error as StoreError {
          #expect(error.code == .diskFull, "\(error)")
          refused += 1
          if refused % 50 == 1 {
            #expect(
              isCode(.diskFull) { try store.blobs.add([UInt8](repeating: 1, count: 900_000)) })
          }
        }
      }
      if round == 0 {
        #expect(refused > 0)
        #expect(system("mount -o remount,size=2m \(folder.path)") == 0)
      }
      for id in written { #expect(try store.fetch(Photo.self, id, in: space) != nil) }
    }
    #expect(try store.count(Query<Photo>(in: space)) == written.count)
  }
}
