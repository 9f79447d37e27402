import Foundation
import ReunionCore
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
    print("checksums \(checksums): of 100 flips \(reported) reported, \(wrong) wrong answers")
    if checksums { #expect(wrong == 0) } else { #expect(wrong > 0) }
  }

  @Test func `reports every flip in the content of a page that it reads`() throws {
    let photos = try fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let text = try #require(whole.range(of: Data("caption 7 caption 7".utf8)))
    var bytes = whole
    bytes[text.lowerBound + 3] ^= 1
    #expect(try probe(bytes, photos) == (true, false))
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

  @Test func `goes on when there is room again on a full disk`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let mount = "mount -t tmpfs -o size=1m reunion \(folder.path) 2>/dev/null"
    guard geteuid() == 0, system(mount) == 0 else { return print("skipped: no tmpfs of our own") }
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
