import Reunion
import ReunionBluetooth
import ReunionNearby

struct Photo: Entity {
  let id: RecordID
  var caption = ""
  var preview: Blob?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Photo>(
    1, "photo", [.field(1, "caption", \.caption), .field(2, "preview", \.preview)])
}

let folder = CommandLine.arguments[1]
let clock = TestClock()
let medium = SimulatedMedium(clock: clock, seed: 7)
let (bensRadio, annasRadio) = (medium.radio("ben"), medium.radio("anna"))
let ben = try Replica(folder: "\(folder)/ben", model: Model(Photo.schema), clock: clock)
let anna = try Replica(folder: "\(folder)/anna", model: Model(Photo.schema), clock: clock)
let bens = try Bluetooth(radio: bensRadio, folder: "\(folder)/ben/bluetooth", clock: clock)
let annas = try Bluetooth(radio: annasRadio, folder: "\(folder)/anna/bluetooth", clock: clock)

let invitation = Invitation()
bens.open(invitation)
bens.advertise()
let scan = annas.scan(for: [ReunionService.id], limit: .seconds(2)) { _ in }
clock.advance(by: .seconds(2))
let link = annas.meet(bensRadio.device, by: invitation)
clock.advance(by: .seconds(2))
guard let toAnna = bens.peer(annas.id), let toBen = annas.peer(bens.id) else {
  throw BluetoothError(.notConnected, "They did not meet. Bring them together.")
}

let album = SpaceID.random()
try ben.admit(annas.id, to: album, as: .edit)
let sharing = try ben.sync(album, over: toAnna)
let joining = try anna.sync(album, over: toBen)

try ben.write(in: album) { transaction in
  for number in 1...50 {
    try transaction.create(Photo.self) {
      $0.caption = "Photo \(number)"
      if number == 1 { $0.preview = Blob([UInt8](repeating: 7, count: 20_000)) }
    }
  }
}
clock.advance(by: .seconds(3))
let photos = try anna.fetch(Query<Photo>(in: album))
let preview = try anna.read(photos.first { $0.preview != nil }?.preview)
print("Anna has \(photos.count) photos, and a preview of \(preview?.count ?? 0) bytes.")

medium.part(bensRadio, annasRadio)
try anna.write(in: album) { try $0.create(Photo.self) { $0.caption = "The summit" } }
clock.advance(by: .seconds(60 * 60 * 24))
print("A day later Ben has \(try ben.count(Query<Photo>(in: album))) photos.")
medium.meet(bensRadio, annasRadio)
clock.advance(by: .seconds(5))
print("They meet again, and he has \(try ben.count(Query<Photo>(in: album))).")

sharing.end()
joining.end()
link.close()
scan.cancel()
try ben.close()
try anna.close()
