import FoundationEssentials
import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct RecordTests {
  @Test func `gives back every kind of value to the bit, also after reopening`() throws {
    let folder = Folder()
    var photo: Photo
    do {
      let store = try folder.open()
      photo = Photo(id: store.newID())
      photo.caption = "e\u{301} \0 \u{e9} 🏴󠁧󠁢󠁥󠁮󠁧󠁿"
      photo.width = .max
      photo.score = -0.0
      photo.isShown = false
      photo.bytes = [0, 255, 0]
      photo.taken = Date(timeIntervalSince1970: 1_700_000_000.123)
      photo.token = UUID()
      photo.album = store.newID()
      photo.original = BlobReference(hash: BlobHash(of: [1]), byteCount: 1)
      photo.rating = .bad
      photo.note = ""
      photo.huge = .min
      try store.write(in: space) { try $0.create(photo) }
      try store.close()
    }
    let store = try folder.open()
    let read = try #require(try store.fetch(Photo.self, photo.id, in: space))
    #expect(read == photo)
    #expect(Array(read.caption.utf8) == Array(photo.caption.utf8))
    #expect(read.score.sign == .minus)
    #expect(read.note == "")
    for bits: UInt64 in [0x7ff8_0000_0000_0001, 0xfff0_0000_0000_0001, 1, 0x7ff0_0000_0000_0000] {
      try store.write(in: space) {
        try $0.set(\Photo.score, of: photo.id, to: Double(bitPattern: bits))
      }
      #expect(try store.fetch(Photo.self, photo.id, in: space)?.score.bitPattern == bits)
    }
  }

  @Test func `converges by pushes and applies`() throws {
    let folders = [Folder(), Folder()]
    let a = try folders[0].open()
    let b = try folders[1].open()
    let id = a.newID()
    try a.write(in: space) { transaction in
      var photo = Photo(id: id)
      photo.caption = "one"
      try transaction.create(photo)
    }
    #expect(try b.pull(from: a).changed)
    #expect(try b.fetch(Photo.self, id, in: space)?.caption == "one")
    try b.write(in: space) { try $0.set(\Photo.caption, of: id, to: "two") }
    #expect(try a.pull(from: b).changed)
    #expect(try a.fetch(Query<Photo>(in: space).filter(\.caption == "two")).count == 1)
    #expect(try a.digest(of: space) == b.digest(of: space))
    #expect(try a.vector(of: space) == b.vector(of: space))
    #expect(try !a.pull(from: b).changed)
  }
}
