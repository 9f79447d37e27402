import FoundationEssentials
import ReunionCore
import ReunionDisk
import ReunionStore

/// Makes a store of an archive: everything under names of its own until all of it was checked.
struct ArchiveImport {
  private let disk = SystemDisk.system
  private let archive: String
  private let folder: String
  private let header: ArchiveHeader
  private let site: Site
  private let clock: Stamp
  private var report = Archive.Report()
  private var spaces: [SpaceID: SpaceState] = [:]
  private var files: Set<String> = []
  /// Blobs that are copied, and not noted yet.
  private var waiting: [BlobReference] = []

  init(archive: String, folder: String) throws(StoreError) {
    self.archive = archive
    self.folder = folder
    header = try ArchiveHeader(of: archive)
    guard let site = Site(header.site), let clock = ArchiveMoment.stamp(header.clock),
      clock < Stamp.limit
    else { throw ArchiveFile.damaged(archive, "its header is malformed") }
    self.site = site
    self.clock = clock
  }

  /// Whether a file of a folder, by the parts of its path, is one that an import writes.
  private static func isOfImport(_ parts: [String]) -> Bool {
    switch (parts.first, parts.count) {
    case ("blobs", 3): BlobHash(parts[2]) != nil && parts[2].hasPrefix(parts[1])
    case (_, 1): parts[0].hasPrefix("store.sqlite.new") || [mark, "lock"].contains(parts[0])
    default: false
    }
  }

  private var database: String { folder + "/store.sqlite.new" }
  private static let mark = "IMPORTING"

  mutating func run(_ progress: (Archive.Report) -> Void) throws(StoreError) -> Archive.Report {
    try header.model.validate()
    let lock = try ArchiveFolder.prepare(
      folder, mark: Self.mark, done: "store.sqlite", lock: "lock", owns: Self.isOfImport)
    do throws(StoreError) {
      try build(progress)
      try disk.rename(database, to: folder + "/store.sqlite")
      try disk.remove("\(folder)/\(Self.mark)")
      try disk.syncFolder(folder)
    } catch {
      // What somebody else put there meanwhile stays.
      for name in try ArchiveFolder.contents(folder)
      where name == "blobs" || Self.isOfImport([name]) {
        try ArchiveFolder.removeTree("\(folder)/\(name)")
      }
      try lock.unlock()
      throw error
    }
    // A child process that is about to start may hold the file, which closing alone would not free.
    try lock.unlock()
    return report
  }

  private mutating func build(_ progress: (Archive.Report) -> Void) throws(StoreError) {
    let connection = try Database(path: database, options: StoreOptions()).open(isExpected: false)
    defer { connection.close() }
    // It has its name once all of it was synced: until then a power cut may take it.
    try connection.execute("PRAGMA synchronous = OFF")
    let layout = try LayoutUpgrade(connection: connection, model: header.model).run()
    let writer = try RecordWriter(RecordReader(connection, layout: layout))
    let sums = try ArchiveLines(reading: "\(archive)/\(ArchiveFolder.sums)")
    while let line = try sums.next() {
      guard let (hash, path) = Self.sum(line) else { throw damaged("a line of its sums") }
      guard files.insert(path).inserted else { throw damaged("\(path) is named twice") }
      try take(path, hash, writer)
      progress(report)
    }
    guard sums.finish() == header.sums else { throw damaged("its sums were changed") }
    guard report.records == header.records, report.blobs == header.blobs else {
      throw damaged("it holds \(report.records) records and \(report.blobs) blobs")
    }
    try noteBlobs(writer)
    try connection.transaction { () throws(StoreError) in
      for (id, space) in spaces {
        var space = space
        let mark = CommitMark(site: site, stamp: clock, random: StoreOptions().random())
        try writer.write(&space, over: try writer.space(id), mark)
      }
      try BlobTenant.noteUnnamed(connection)
      try Identity.write(Sites(own: site), connection)
    }
    try connection.closeTakingLog()
    try disk.open(database, .reading).sync()
  }

  /// The hash and the path of a line of the sums.
  private static func sum(_ line: [UInt8]) -> (String, String)? {
    let text = String(decoding: line, as: UTF8.self)
    guard line.count > 66, text.dropFirst(64).hasPrefix("  "),
      BlobHash(String(text.prefix(64))) != nil
    else { return nil }
    return (String(text.prefix(64)), String(text.dropFirst(66)))
  }

  /// Takes over one file. Of its path each part is plain, so that it leads nowhere else.
  private mutating func take(
    _ path: String, _ hash: String, _ writer: RecordWriter
  ) throws(StoreError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") || $0.utf8.contains(0) }) else {
      throw damaged("\(path) is not a path of an archive")
    }
    switch (parts.first, parts.count) {
    case ("blobs", 3): try takeBlob(path, hash, writer)
    case ("spaces", 3):
      guard let space = SpaceID(parts[1]), space.description == parts[1] else {
        throw damaged("\(path) names no space")
      }
      let connection = writer.reader.connection
      try connection.transaction { () throws(StoreError) in
        try takeLines(parts[2], of: space, path, hash, writer)
      }
    case ("README.txt", 1): break
    default: throw damaged("\(path) is not a file of an archive")
    }
  }

  private mutating func takeLines(
    _ name: String, of space: SpaceID, _ path: String, _ hash: String, _ writer: RecordWriter
  ) throws(StoreError) {
    if spaces[space] == nil { spaces[space] = try writer.space(space) }
    guard var state = spaces[space] else { return }
    let lines = try ArchiveLines(reading: "\(archive)/\(path)")
    switch name {
    case "vector.jsonl":
      while let line = try lines.next() {
        guard let dot = Self.decode(ArchivedDot.self, line)?.dot, dot.seq <= Dot.seqMax else {
          throw ArchiveFile.damaged(path, "a line of a vector is malformed")
        }
        state.vector.raise(dot.site, to: dot.seq)
      }
    case "conflicts.jsonl":
      while let line = try lines.next() {
        guard let place = Self.decode(ArchivedPlace.self, line)?.key,
          let cell = Self.decode(ArchivedCell.self, line)?.cell
        else { throw ArchiveFile.damaged(path, "a line of conflicts is malformed") }
        try writer.keepConflict(cell, of: place, space: state.number)
      }
    default:
      let digits = name.prefix { $0.isASCII && $0.isNumber }
      guard let entity = UInt32(digits), (1...Cell.fieldMax).contains(entity),
        files.insert("\(space.description)/\(entity)").inserted
      else { throw damaged("\(path) names no entity, or one again") }
      var last: RecordID?
      while let line = try lines.next() {
        guard let record = Self.decode(ArchivedRecord.self, line)?.record(of: entity),
          last.map({ $0 < record.key.id }) ?? true
        else { throw ArchiveFile.damaged(path, "a record is malformed, or out of order") }
        last = record.key.id
        state.arrival += 1
        var arrived = record
        arrived.arrival = state.arrival
        try writer.write(arrived, over: nil, space: state.number)
        report.records += 1
        if report.records.isMultiple(of: 1000) { try writer.arrivals.finish(&state) }
      }
      try writer.arrivals.finish(&state)
    }
    guard lines.finish() == hash else { throw ArchiveFile.damaged(path, "its hash is wrong") }
    spaces[space] = state
  }

  private static func decode<Line: Decodable>(_: Line.Type, _ line: [UInt8]) -> Line? {
    try? JSONDecoder().decode(Line.self, from: Data(line))
  }

  // Blobs

  private mutating func takeBlob(
    _ path: String, _ text: String, _ writer: RecordWriter
  ) throws(StoreError) {
    guard let hash = BlobHash(text) else { throw damaged("\(path) has no hash") }
    let target = BlobFiles.path(of: hash, in: folder)
    try disk.makeFolder(target.parentFolder)
    let copy = try disk.open(target, .creating)
    guard let blob = try BlobFiles.copy(ArchiveFile.open("\(archive)/\(path)"), to: copy),
      blob.hash == hash
    else { throw ArchiveFile.damaged(path, "its hash is wrong") }
    try copy.sync()
    waiting.append(blob)
    report.blobs += 1
    if waiting.count == 500 { try noteBlobs(writer) }
  }

  /// Has the database say that blobs are held, once their files have their names.
  private mutating func noteBlobs(_ writer: RecordWriter) throws(StoreError) {
    for folder in Set(waiting.map { BlobFiles.path(of: $0.hash, in: folder).parentFolder }) {
      try disk.syncFolder(folder)
    }
    let blobs = waiting
    try writer.reader.connection.transaction { () throws(StoreError) in
      for blob in blobs { try writer.hold(blob) }
    }
    waiting = []
  }

  private func damaged(_ detail: String) -> StoreError { ArchiveFile.damaged(archive, detail) }
}
