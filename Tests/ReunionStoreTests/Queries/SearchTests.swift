import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTools
import Testing

@testable import ReunionStore

/// A book as an app of before knows it, without anything to search.
private struct OldBook: Entity {
  let id: RecordID
  var title = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<OldBook>(21, "book", [.field(1, "title", \.title)])
}

@Suite struct SearchTests {
  let folder = Folder()
  private let books = Query<Book>(in: space).sorted(by: \.title)

  private func titles(_ store: Store, _ text: String, prefixes: Bool = false) throws -> [String] {
    try store.fetch(books.matching(text, prefixes: prefixes)).map(\.title)
  }

  @Test func `finds words whatever their case and accents, and beginnings where asked`() throws {
    let store = try folder.open(libraryModel)
    try store.add(Book.self) { $0.title = "Der Wind im Hafen" }
    try store.add(Book.self) {
      $0.title = "Été à la plage"; $0.note = "harbour light"
    }
    try store.add(Book.self) {
      $0.title = "Tags"; $0.tags = ["Harbour", "sea wind"]
    }
    #expect(try titles(store, "hafen") == ["Der Wind im Hafen"])
    #expect(try titles(store, "ete PLAGE") == ["Été à la plage"])
    #expect(try titles(store, "harbour") == ["Tags", "Été à la plage"])
    #expect(try titles(store, "harb").isEmpty)
    #expect(try titles(store, "harb", prefixes: true) == ["Tags", "Été à la plage"])
    #expect(try titles(store, "wind harbour") == ["Tags"])
    #expect(
      try store.fetch(books.matching("wind", in: \.title)).map(\.title)
        == ["Der Wind im Hafen"])
    #expect(try store.fetch(books.matching("wind", in: \.title).matching("hafen")).count == 1)
    #expect(isCode(.invalidModel) { _ = try store.fetch(books.matching("x", in: \.pages)) })
    #expect(try store.fetch(Query<Book>(in: SpaceID(high: 1, low: 1)).matching("wind")).isEmpty)
  }

  @Test(arguments: [
    ("今日は東京タワーに行った", ["東京", "東京タワー", "行った", "今日"], ["京東", "大阪", "タワ行"]),
    ("我们在北京拍的照片", ["照片", "北京", "片"], ["片照", "上海"]),
    ("ไปกินข้าวที่กรุงเทพ", ["กรุงเทพ", "กิน", "ข้าว"], ["กัน", "เชียงใหม่"]),
    ("ຂ້ອຍຢູ່ວຽງຈັນ", ["ວຽງຈັນ"], ["ຈັນວຽງ"]),
    ("ខ្ញុំនៅភ្នំពេញ", ["ភ្នំពេញ"], ["សៀមរាប"]),
    ("ရန်ကုန်မြို့", ["ရန်ကုန်"], ["မန္တလေး"]),
    ("iPhone15を買った", ["iphone15", "買った", "を買"], ["iphone", "15", "買iphone"]),
    ("ｶﾒﾗの写真", ["ｶﾒﾗ", "写真"], ["ﾒｶ"]), ("𠮷野家", ["𠮷野家", "𠮷"], ["吉野家"]),
    ("서울에 갔다", ["서울에", "갔다"], ["부산"]), ("harbour light", ["harbour"], ["arbour"]),
  ])
  func `words are found in scripts without spaces`(
    text: String, found: [String], missing: [String]
  ) throws {
    let store = try folder.open(libraryModel)
    try store.add(Book.self) { $0.title = text }
    try store.add(Book.self) {
      $0.title = "other"; $0.tags = [text]
    }
    for word in found {
      for prefixes in [false, true] {
        #expect(try titles(store, word, prefixes: prefixes).count == 2, "\(word)")
      }
    }
    for word in missing { #expect(try titles(store, word).isEmpty, "\(word)") }
    // Two words may stand apart, and one word may not.
    let words = found.joined(separator: "\u{3000}")
    #expect(try titles(store, words).count == 2)
  }

  @Test func `the text of an index is gapped once, and bytes that are no text stay`() {
    var random = Seeded(state: 7)
    let pieces: [[UInt8]] = [
      Array("東京".utf8), Array("กุ".utf8), Array(" ".utf8), Array("a".utf8), Array("é".utf8),
      Array("👩‍👩‍👧".utf8), Array("ពេញ".utf8), Array("\u{e031}".utf8), [0xe6], [0xe6, 0x9d],
      [0xf0, 0xa0],
      [0xff], [0x80], [0xed, 0xa0, 0x80], [0xf7, 0xbf, 0xbf, 0xbf], [0], Array("、".utf8),
    ]
    for _ in 0..<5000 {
      let count = Int.random(in: 0...8, using: &random)
      let text = (0..<count).flatMap { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }
      let gapped = UnspacedText.gapped(text)
      #expect(UnspacedText.gapped(gapped) == gapped)
      if !text.contains(where: { $0 >= 0xe0 }) { #expect(gapped == text) }
    }
    #expect(UnspacedText.gapped(Array("x東京y".utf8)) == Array("x 東 京 y".utf8))
    #expect(UnspacedText.gapped(Array("東 京".utf8)) == Array("東 京".utf8))
  }

  @Test
  func `the index of an earlier version is made anew after the opening, and live queries follow`()
    async throws
  {
    let count = 600
    do {
      let store = try folder.open(libraryModel)
      try store.write(in: space) { transaction in
        for number in 0..<count {
          _ = try transaction.create(Book.self) { $0.title = "東京 \(number)" }
        }
      }
      try store.close()
    }
    // As versions before wrote it.
    let connection = try DatabaseConnection(path: folder.path + "/store.sqlite", on: SystemDisk())
    try connection.execute(
      "DELETE FROM reunion_meta WHERE key = 'words'; UPDATE reunion_text_21 SET f1 = replace(f1, '東 京', '東京')"
    )
    connection.close()
    do {
      // A start that ends at once loses nothing.
      let store = try folder.open(libraryModel)
      try store.close()
    }
    let store = try folder.open(libraryModel)
    let found = try store.live(books.matching("京").count())
    for await answer in found.values() where answer == count { break }
    for await renewal in store.wordsRenewal.values() where renewal == nil { break }
    #expect(try titles(store, "東京").count == count)
    let isDue = try store.read { (reader) throws(StoreError) in
      try WordsRenewal.isDue(reader.connection, store.layout)
    }
    #expect(!isDue)
    try store.close()
    let again = try folder.open(libraryModel)
    #expect(again.wordsRenewal.value == nil)
    #expect(try titles(again, "東京").count == count)
    try again.close()
  }

  @Test func `the best come first`() throws {
    let store = try folder.open(libraryModel)
    try store.add(Book.self) { $0.title = "wind and many other words that make it a long text" }
    try store.add(Book.self) { $0.title = "wind wind" }
    try store.add(Book.self) { $0.title = "calm" }
    let best = Query<Book>(in: space).matching("wind").sortedByRelevance()
    #expect(try store.fetch(best).first?.title == "wind wind")
    #expect(try store.fetch(best.limit(1)).count == 1)
    #expect(try store.fetch(best.count()) == 2)
  }

  @Test func `what is edited, deleted, brought back or removed is found as it is`() throws {
    let other = Folder()
    let (a, b) = (try folder.open(libraryModel), try other.open(libraryModel))
    let book = try a.add(Book.self) { $0.title = "north" }
    try b.pull(from: a)
    #expect(try titles(b, "north") == ["north"])
    try a.write(in: space) { try $0.set(\Book.title, of: book.id, to: "south") }
    try b.pull(from: a)
    #expect(try titles(b, "north").isEmpty)
    #expect(try titles(b, "south") == ["south"])
    try b.write(in: space) { transaction in
      try transaction.set(\Book.title, of: book.id, to: "east")
      #expect(try transaction.fetch(books.matching("east")).count == 1)
      #expect(try transaction.fetch(books.matching("south")).isEmpty)
    }
    try a.write(in: space) { try $0.delete(Book.self, book.id) }
    #expect(try titles(a, "south").isEmpty)
    try a.pull(from: b)
    #expect(try titles(a, "east") == ["east"])
    try a.write(in: space) { try $0.delete(Book.self, book.id) }
    try b.pull(from: a)
    #expect(try titles(b, "east").isEmpty)
    // A guest's refused change is taken back.
    let guest = try Folder().open(libraryModel)
    let refused = try guest.add(Book.self) { $0.title = "refused" }
    #expect(try titles(guest, "refused") == ["refused"])
    let refusal = Refusal(
      entity: Book.schema.number, record: refused.id, sent: try guest.vector(of: space))
    _ = try guest.apply(
      IncomingPush(
        peer: a.site, helloSeq: 0, changes: [], refused: [refusal], raised: VersionVector(),
        vector: VersionVector(), position: []),
      in: space, authority: .all)
    #expect(try titles(guest, "refused").isEmpty)
  }

  @Test func `no text of a person is an error`() throws {
    let store = try folder.open(libraryModel)
    try store.add(Book.self) { $0.title = "near AND \"quoted\" title: f1 NOT * (x)" }
    let texts = [
      "", " ", "\"", "\"\"", "*", "NEAR(", "NEAR(near x, 2)", "AND", "OR", "NOT", "title:", "f1:x",
      "{f1}: near", "(", ")", "^near", "-near", "near*", "near +", "a\0b", "\0", "'; DROP TABLE x",
      "\u{feff}", "👩‍👩‍👧‍👧", "\u{301}", String(repeating: "wort ", count: 5000),
      String(repeating: "\"", count: 3000), String(repeating: "x", count: 300_000), "near \" *",
    ]
    for text in texts {
      for prefixes in [false, true] {
        _ = try titles(store, text, prefixes: prefixes)
        _ = try store.fetch(books.matching(text, in: \.note, prefixes: prefixes).count())
        _ = try store.fetch(books.matching(text).matching(text).sortedByRelevance())
      }
    }
    var random = Seeded(state: 3)
    for _ in 0..<2000 {
      let alphabet = Array("\"*()^:{}+- aANDORT\0NEé,;'\\")
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        })
      _ = try titles(store, text, prefixes: Bool.random(using: &random))
    }
    #expect(try titles(store, "near AND * (").count == 1)
    #expect(try titles(store, "*").isEmpty)
    #expect(try titles(store, "").isEmpty)
  }

  @Test func `a model that newly chooses fields gets its index, and one that leaves them none`()
    throws
  {
    do {
      let store = try folder.open(Model(OldBook.schema))
      for title in ["old wind", "old sea"] { try store.add(OldBook.self) { $0.title = title } }
      let gone = try store.add(OldBook.self) { $0.title = "gone wind" }
      try store.write(in: space) { try $0.delete(OldBook.self, gone.id) }
      try store.close()
    }
    do {
      let store = try folder.open(libraryModel)
      #expect(try titles(store, "wind") == ["old wind"])
      try store.add(Book.self) { $0.title = "new wind" }
      try store.close()
    }
    do {
      // Tools that have no model keep it up to date.
      let store = try folder.open(Model(entities: []))
      let peer = try Folder().open(libraryModel)
      try peer.add(Book.self) { $0.title = "peer's wind" }
      try store.pull(from: peer)
      try store.close()
    }
    do {
      let store = try folder.open(libraryModel)
      #expect(try titles(store, "wind").sorted() == ["new wind", "old wind", "peer's wind"])
      try store.close()
    }
    do {
      let store = try folder.open(Model(OldBook.schema))
      #expect(isCode(.invalidModel) { _ = try store.fetch(books.matching("wind")) })
      try store.add(OldBook.self) { $0.title = "late wind" }
      try store.close()
    }
    #expect(try titles(folder.open(libraryModel), "wind").count == 4)
  }

  @Test func `a backup of a searchable store searches too`() throws {
    let target = Folder()
    let copy = Folder()
    let store = try folder.open(libraryModel)
    try store.add(Book.self) { $0.title = "wind" }
    _ = try Backup.make(of: folder.path, in: target.path)
    _ = try Backup.restore(target.path, to: copy.path)
    #expect(try titles(copy.open(libraryModel), "wind") == ["wind"])
  }

  @Test func `only texts are searchable`() {
    let entity = EntityDescription(
      number: 1, name: "x",
      fields: [FieldDescription(number: 1, name: "n", kind: .int, isSearchable: true)])
    #expect(isCode(.invalidModel) { _ = try folder.open(Model(entities: [entity])) })
  }
}
