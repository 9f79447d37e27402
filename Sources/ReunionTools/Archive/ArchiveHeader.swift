import FoundationEssentials
import ReunionCore
import ReunionDisk
import ReunionStore

/// What an archive says of itself in `archive.json`, the file that is written last.
struct ArchiveHeader: Decodable {
  struct Entity: Decodable {
    let number: UInt32
    let name: String
    let fields: [Field]
  }

  struct Field: Decodable {
    let number: UInt32
    let name: String
    let kind: UInt8
  }

  let format: String
  let version: Int
  /// The site that wrote last, and the last stamp of the clock.
  let site: String
  let clock: String
  let entities: [Entity]
  let records: Int
  let blobs: Int
  /// The SHA-256 of `SHA256SUMS`.
  let sums: String

  /// What is known of a store before it is exported.
  init(_ connection: DatabaseConnection) throws(StoreError) {
    format = Archive.format
    version = Archive.version
    let stamp = try connection.number("SELECT max(stamp) FROM reunion_space") ?? 0
    clock = ArchiveMoment.text(Stamp(rawValue: UInt64(bitPattern: stamp)))
    site = try Identity.site(connection).description
    // What has no name here is kept without columns until a model knows it.
    entities = try Model(keptBy: connection).entities.map { entity in
      Entity(
        number: entity.number, name: entity.name,
        fields: entity.fields.map {
          Field(number: $0.number, name: $0.name, kind: $0.kind.rawValue)
        })
    }
    (records, blobs, sums) = (0, 0, "")
  }

  /// Reads the header of an archive.
  ///
  /// - Throws: `notFound`, `newerVersion`, `damaged`.
  init(of archive: String) throws(StoreError) {
    let path = "\(archive)/\(ArchiveFolder.header)"
    let disk = SystemDisk.system
    guard try disk.exists(path) else {
      let isUnfinished = try disk.exists("\(archive)/\(ArchiveFolder.unfinished)")
      throw isUnfinished
        ? StoreError(.damaged, "The export to \(archive) was broken off: make it again.")
        : StoreError(.notFound, "There is no archive in \(archive): name a folder that has one.")
    }
    let file = try ArchiveFile.open(path)
    guard try file.byteCount() <= Self.bytesMax,
      let header = try? JSONDecoder().decode(
        ArchiveHeader.self, from: Data(file.read(at: 0, count: Self.bytesMax))),
      header.format == Archive.format
    else { throw ArchiveFile.damaged(path, "it is not the header of an archive") }
    guard header.version <= Archive.version else {
      throw StoreError(
        .newerVersion, "\(archive) was written by a newer version: update this program to read it.")
    }
    self = header
  }

  private static let bytesMax = 16 * 1024 * 1024

  /// The model as far as names are known.
  var model: Model {
    Model(
      entities: entities.map { entity in
        EntityDescription(
          number: entity.number, name: entity.name,
          fields: entity.fields.map {
            FieldDescription(
              number: $0.number, name: $0.name, kind: ValueKind(rawValue: $0.kind))
          })
      })
  }

  func json(_ report: Archive.Report, sums: String) -> JSONText {
    let entities = entities.map { entity in
      JSONText.object([
        ("number", .number(entity.number)), ("name", .text(entity.name)),
        (
          "fields",
          .list(
            entity.fields.map {
              .object([
                ("number", .number($0.number)), ("name", .text($0.name)),
                ("kind", .number($0.kind)),
              ])
            })
        ),
      ])
    }
    return .object([
      ("format", .text(format)), ("version", .number(version)), ("site", .text(site)),
      ("clock", .text(clock)), ("records", .number(report.records)),
      ("blobs", .number(report.blobs)), ("sums", .text(sums)), ("entities", .list(entities)),
    ])
  }
}
