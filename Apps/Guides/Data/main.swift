import Reunion

struct Album: Entity {
  let id: RecordID
  var name = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Album>(1, "album", [.field(1, "name", \.name)])
}

struct Photo: Entity {
  let id: RecordID
  var caption = ""
  var album: Reference<Album>?
  var thumbnail: Blob?
  var views: Counter = 0
  var tags: Set<String> = []
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Photo>(
    2, "photo",
    [
      .field(1, "caption", \.caption), .field(2, "album", \.album),
      .field(3, "thumbnail", \.thumbnail, inlineBelow: 32 * 1024), .field(4, "views", \.views),
      .field(5, "tags", \.tags),
    ])
}

let model = Model(Album.schema, Photo.schema)
let phone = try Replica(folder: CommandLine.arguments[1] + "/phone", model: model)
let laptop = try Replica(folder: CommandLine.arguments[1] + "/laptop", model: model)
let space = SpaceID.random()

let album = Album(id: phone.newID())
let photo = try phone.write(in: space) { transaction in
  try transaction.create(Photo.self) {
    $0.caption = "Harbour"
    $0.album = Reference(album)
  }
}
print("The album is here:", try phone.fetch(photo.album, in: space) != nil)
try phone.write(in: space) { try $0.create(album) }
print("The album is here:", try phone.fetch(photo.album, in: space) != nil)

let bytes = [UInt8](repeating: 7, count: 40_000)
try phone.write(in: space) { try $0.set(\Photo.thumbnail, of: photo.id, to: Blob(bytes)) }
if let thumbnail = try phone.fetch(Photo.self, photo.id, in: space)?.thumbnail {
  print("The thumbnail has", try phone.read(thumbnail).count, "bytes")
}

try phone.exchange(space, with: laptop)
try phone.write(in: space) { try $0.update(photo) { $0.caption = "Port" } }
try laptop.write(in: space) { try $0.update(photo) { $0.caption = "Quay" } }
try laptop.exchange(space, with: phone)

for conflict in try laptop.conflicts(in: space) {
  guard let caption = conflict.values(of: \Photo.caption) else { continue }
  print("Two captions: one stands, the other is kept:", caption.lost != caption.standing)
  try laptop.write(in: space) { try $0.restore(conflict) }
}
print("Conflicts left:", try laptop.conflicts(in: space).count)

try phone.write(in: space, undo: "Rename Photo") { transaction in
  try transaction.set(\Photo.caption, of: photo.id, to: "Night")
  try transaction.insert("dark", into: \Photo.tags, of: photo.id)
}
let status = try phone.undoStatus(in: space)
print("Undo", status.value.undoName ?? "nothing")
if let report = try phone.undo(in: space) { print("Undone:", report.isComplete) }
print("Redo", status.value.redoName ?? "nothing")
try phone.redo(in: space)
print(try phone.fetch(Photo.self, photo.id, in: space)?.caption ?? "")
