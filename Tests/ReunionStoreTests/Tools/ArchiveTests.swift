import Foundation
import ReunionCore
import Testing

@testable import ReunionStore
@testable import ReunionTools

/// A store written out as plain files, and made again of them.
@Suite struct ArchiveTests {
  @Test func `random stores come back equal, cell for cell`() throws {
    var conflicts = 0
    for seed in 0..<12 {
      let (folder, archive, back) = (Folder(), Folder(), Folder())
      var random = Seeded(state: UInt64(seed))
      let store = try RandomStore.make(in: folder, &random)
      let report = try Archive.export(folder.path, to: archive.path)
      let imported = try Archive.import(archive.path, to: back.path)
      #expect(imported == report && report.lost.isEmpty && report.records > 0, "seed \(seed)")
      let copy = try back.open()
      try RandomStore.expectEqual(copy, store, "seed \(seed)")
      #expect(copy.site.device == store.site.device && copy.site != store.site)
      #expect(try Verification(folder: back.path).isSound)
      conflicts += try RandomStore.spaces.reduce(0) {
        try $0 + RandomStore.conflicts(of: copy, $1).count
      }
    }
    #expect(conflicts > 0)
  }

  @Test func `every value keeps its bits`() throws {
    let values: [Value] = [
      .null, Value(kind: .null, bytes: [1]), .bool(true), .bool(false),
      Value(kind: .bool, bytes: [7]),
      .int(.max), .int(.min), Value(kind: .int, bytes: [1, 2]), .double(-0.0), .double(0.1),
      .double(.infinity), .double(-.infinity), .double(.greatestFiniteMagnitude),
      .double(.leastNonzeroMagnitude), .double(Double(bitPattern: 0x7ff8_0000_0000_0001)),
      .double(Double(bitPattern: 0xfff0_0000_dead_beef)), .text(""), .text("a\u{0}b\n\"\\\u{7f}"),
      .text("e\u{301} \u{e9} 🧺"), Value(kind: .text, bytes: [0xed, 0xa0, 0x80]),
      Value(kind: .text, bytes: [0xff]), .bytes([]), .bytes([0, 255]), .date(milliseconds: .min),
      .date(milliseconds: .max), .date(milliseconds: -1), .date(milliseconds: 1_795_295_280_123),
      Value(kind: .uuid, bytes: Array(0..<16)), Value(kind: .uuid, bytes: [1]),
      .reference(RecordID(high: 1, low: 2)), Value(kind: .reference, bytes: []),
      .blob(BlobReference(hash: BlobHash(of: []), byteCount: .max)),
      Value(kind: .blob, bytes: BlobHash(of: []).bytes + [0x80, 0]), .counter(-3),
      Value(kind: ValueKind(rawValue: 200), bytes: [1]),
    ]
    var random = Seeded(state: 1)
    let doubles = (0..<2000).map { _ in Value.double(Double(bitPattern: random.next())) }
    for value in values + doubles {
      let cell = Cell(
        field: 1, merge: .register, dot: Dot(site: Site(device: 1, incarnation: 2), seq: 3),
        stamp: Stamp(rawValue: 5), replaced: Stamp(rawValue: 4), value: value)
      let line = JSONText.object(ArchivedCell.members(cell, name: "a \"name\"")).bytes()
      let read = try JSONDecoder().decode(ArchivedCell.self, from: Data(line))
      #expect(read.cell == cell, "\(String(decoding: line, as: UTF8.self))")
    }
  }

  @Test func `moments are those of the calendar`() {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var random = Seeded(state: 2)
    for _ in 0..<2000 {
      let range = -62_135_596_800_000 as Int64..<253_402_300_800_000
      let moment = Int64.random(in: range, using: &random)
      let text = ArchiveMoment.text(milliseconds: moment)
      #expect(text.flatMap(ArchiveMoment.milliseconds) == moment)
      // Foundation's calendar is the Julian one before 1582.
      guard moment > -12_219_292_800_000 else { continue }
      let date = Date(timeIntervalSince1970: (Double(moment) / 1000).rounded(.down))
      let expected = formatter.string(from: date)
      #expect(text?.prefix(19) == expected.prefix(19), "\(moment)")
    }
    for text in [
      "2026-02-30T00:00:00.000Z", "2026-01-01 00:00:00.000Z", "", "2026-13-01T00:00:00.000Z",
    ] {
      #expect(ArchiveMoment.milliseconds(text) == nil, "\(text)")
    }
  }

  @Test func `a person can read it and check it`() throws {
    let (folder, archive) = (Folder(), Folder())
    let store = try folder.open()
    let jpeg = try store.blobs.add([0xff, 0xd8, 0xff, 1, 2, 3])
    try store.blobs.add(Array("nobody names this".utf8))
    try store.write(in: space) { transaction in
      try transaction.create(Photo.self) {
        $0.caption = "Harbour, “morning”"
        $0.original = jpeg
      }
    }
    _ = try Archive.export(folder.path, to: archive.path)
    let lines = try String(
      contentsOfFile: "\(archive.path)/spaces/\(space.description)/3-photo.jsonl", encoding: .utf8)
    #expect(lines.contains(#""field":1,"name":"caption","text":"Harbour, “morning”","#))
    let path = "\(archive.path)/blobs/photo.original/\(jpeg.hash.description).jpg"
    #expect(try Data(contentsOf: URL(filePath: path)) == Data([0xff, 0xd8, 0xff, 1, 2, 3]))
    let check = Process()
    check.executableURL = URL(filePath: "/usr/bin/sha256sum")
    check.arguments = ["--check", "--strict", "--quiet", "SHA256SUMS"]
    check.currentDirectoryURL = URL(filePath: archive.path)
    try check.run()
    check.waitUntilExit()
    #expect(check.terminationStatus == 0)
    // Every file is among the sums.
    let sums = try String(contentsOfFile: archive.path + "/SHA256SUMS", encoding: .utf8)
    for case let name as String in try #require(
      FileManager.default.enumerator(atPath: archive.path))
    where !["archive.json", "SHA256SUMS"].contains(name) {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(archive.path)/\(name)", isDirectory: &isFolder)
      if !isFolder.boolValue { #expect(sums.contains("  \(name)\n"), "\(name)") }
    }
  }

  @Test func `an export that was broken off is refused, and can be made again`() throws {
    let (folder, archive, back) = (Folder(), Folder(), Folder())
    var random = Seeded(state: 3)
    let store = try RandomStore.make(in: folder, &random)
    let blob = try store.blobs.add(Array("a blob".utf8))
    // What a killed export left.
    try FileManager.default.createDirectory(atPath: archive.path, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: archive.path + "/UNFINISHED"))
    try FileManager.default.createDirectory(
      atPath: archive.path + "/spaces/half", withIntermediateDirectories: true)
    #expect(isCode(.damaged) { _ = try Archive.import(archive.path, to: back.path) })
    #expect(!FileManager.default.fileExists(atPath: back.path))
    _ = try Archive.export(folder.path, to: archive.path)
    #expect(!FileManager.default.fileExists(atPath: archive.path + "/spaces/half"))
    // A finished one is not replaced, nor is anything else.
    #expect(isCode(.notWritable) { _ = try Archive.export(folder.path, to: archive.path) })
    #expect(isCode(.notWritable) { _ = try Archive.export(folder.path, to: folder.path) })
    // What a killed import left.
    try FileManager.default.createDirectory(
      atPath: back.path + "/blobs", withIntermediateDirectories: true)
    for name in ["IMPORTING", "lock", "store.sqlite.new"] {
      try Data("half".utf8).write(to: URL(filePath: "\(back.path)/\(name)"))
    }
    _ = try Archive.import(archive.path, to: back.path)
    #expect(isCode(.notWritable) { _ = try Archive.import(archive.path, to: back.path) })
    let copy = try back.open()
    #expect(try copy.blobs.read(blob.hash, count: 6) == Array("a blob".utf8))
    #expect(isCode(.notFound) { _ = try Archive.import(folder.path, to: Folder().path) })
  }

  @Test func `a store that never kept names is exported by numbers, and comes back equal`() throws {
    let (folder, archive, back) = (Folder(), Folder(), Folder())
    var random = Seeded(state: 11)
    let store = try RandomStore.make(in: folder, &random)
    // As a version without that table left it.
    try store.commit { (_, records) throws(StoreError) in
      try records.reader.connection.execute("DROP TABLE reunion_name")
      return ((), nil)
    }
    _ = try Archive.export(folder.path, to: archive.path)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: "\(archive.path)/spaces/\(space.description)")
    #expect(names.contains("3.jsonl"))
    _ = try Archive.import(archive.path, to: back.path)
    try RandomStore.expectEqual(back.open(), store, "by numbers")
  }

  @Test func `a blob that is damaged in the store is named, and the others are exported`() throws {
    let (folder, archive, back) = (Folder(), Folder(), Folder())
    let store = try folder.open()
    let (good, bad) = (try store.blobs.add([1]), try store.blobs.add([2]))
    try Data([3]).write(to: URL(filePath: store.blobs.path(of: bad.hash)))
    let report = try Archive.export(folder.path, to: archive.path)
    #expect(report.lost == [bad.hash] && report.blobs == 1)
    _ = try Archive.import(archive.path, to: back.path)
    let copy = try back.open()
    #expect(try copy.blobs.contains(good.hash) && !copy.blobs.contains(bad.hash))
  }

  /// Changes that whoever hands an archive over could make, each with sums that fit where it can.
  @Test(arguments: [
    "a cell's stamp over the limit", "two registers of one field", "a record twice",
    "a merge of no kind", "no JSON", "a path upwards", "a path from the root", "a link",
    "a missing file", "a wrong hash", "a blob of other bytes", "more records", "a nested list",
    "a bad model", "a newer version", "a number of no entity", "a conflict in no entity",
    "no last line", "a vector over the limit",
  ])
  func `a hostile archive is refused, and the folder stays empty`(_ change: String) throws {
    let (folder, archive, back) = (Folder(), Folder(), Folder())
    let store = try folder.open()
    let blob = try store.blobs.add([1, 2, 3])
    try store.write(in: space) { try $0.create(Photo.self) { $0.original = blob } }
    _ = try Archive.export(folder.path, to: archive.path)
    let tampered = TamperedArchive(path: archive.path)
    let photos = "spaces/\(space.description)/3-photo.jsonl"
    let file = "blobs/photo.original/\(blob.hash.description)"
    switch change {
    case "a cell's stamp over the limit":
      try tampered.replace(#""stamp":"[^"]*""#, #""stamp":"18446744073709551615""#, in: photos)
    case "two registers of one field":
      try tampered.replace(#""field":2"#, #""field":1"#, in: photos)
    case "a record twice": try tampered.edit(photos) { $0 + $0 }
    case "a merge of no kind": try tampered.replace("creation", "magic", in: photos)
    case "no JSON": try tampered.edit(photos) { _ in "}{\n" }
    case "a path upwards": try tampered.rename(photos, to: "spaces/../3.jsonl")
    case "a path from the root": try tampered.rename(photos, to: "/etc/passwd")
    case "a link":
      try FileManager.default.removeItem(atPath: "\(archive.path)/\(file)")
      try FileManager.default.createSymbolicLink(
        atPath: "\(archive.path)/\(file)", withDestinationPath: store.blobs.path(of: blob.hash))
    case "a missing file": try FileManager.default.removeItem(atPath: "\(archive.path)/\(photos)")
    case "a wrong hash": try tampered.edit(photos, withSums: false) { $0 + "\n" }
    case "a blob of other bytes":
      try Data([1, 2, 4]).write(to: URL(filePath: "\(archive.path)/\(file)"))
    case "more records":
      try tampered.replace(#""records":1"#, #""records":2"#, in: "archive.json")
    case "a nested list":
      try tampered.edit(photos) { _ in String(repeating: "[", count: 1_000_000) + "\n" }
    case "a bad model":
      try tampered.replace(#""caption""#, #""reunion_id""#, in: "archive.json")
    case "a newer version":
      try tampered.replace(#""version":1"#, #""version":2"#, in: "archive.json")
    case "a number of no entity":
      try tampered.rename(photos, to: "spaces/\(space.description)/99999999999.jsonl")
    case "a conflict in no entity":
      try tampered.edit("spaces/\(space.description)/conflicts.jsonl") { _ in
        #"{"entity":0,"id":"00","field":1,"site":"00","seq":1,"stamp":"1"}"# + "\n"
      }
    case "a vector over the limit":
      try tampered.replace(
        #""seq":[0-9]+"#, #""seq":281474976710656"#,
        in: "spaces/\(space.description)/vector.jsonl")
    default: try tampered.edit(photos) { String($0.dropLast()) }
    }
    do {
      _ = try Archive.import(archive.path, to: back.path)
      Issue.record("it was imported")
    } catch {
      let code = (error as? StoreError)?.code
      #expect(code == .damaged || code == .newerVersion || code == .invalidModel, "\(error)")
    }
    let left = try? FileManager.default.contentsOfDirectory(atPath: back.path)
    #expect(left ?? [] == [])
    // The negative control: with what was there before, it is imported.
    let good = Folder()
    _ = try Archive.export(folder.path, to: good.path)
    _ = try Archive.import(good.path, to: back.path)
  }
}

/// An archive whose files are changed, and the sums with them.
struct TamperedArchive {
  let path: String

  func edit(_ name: String, withSums: Bool = true, _ change: (String) -> String) throws {
    let url = URL(filePath: "\(path)/\(name)")
    let old = try Data(contentsOf: url)
    let new = Data(change(String(decoding: old, as: UTF8.self)).utf8)
    #expect(new != old)
    try new.write(to: url)
    guard withSums, name != "archive.json" else { return }
    try editSums(hash(old), to: hash(new))
  }

  func replace(_ pattern: String, _ text: String, in name: String) throws {
    try edit(name) {
      $0.replacingOccurrences(of: pattern, with: text, options: .regularExpression)
    }
  }

  func rename(_ name: String, to new: String) throws {
    if !new.hasPrefix("/") {
      try? FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(new)")
    }
    try editSums(name, to: new)
  }

  private func editSums(_ text: String, to new: String) throws {
    let url = URL(filePath: "\(path)/SHA256SUMS")
    let old = try Data(contentsOf: url)
    let sums = Data(
      String(decoding: old, as: UTF8.self).replacingOccurrences(of: text, with: new).utf8)
    try sums.write(to: url)
    try edit("archive.json") { $0.replacingOccurrences(of: hash(old), with: hash(sums)) }
  }

  private func hash(_ data: Data) -> String { BlobHash(of: Array(data)).description }
}
