import Foundation
import ReunionMedia

ImageWorker.runIfAsked()

let folder = URL(filePath: CommandLine.arguments[1])
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let photo = folder.appending(path: "IMG_1.png").path
let bytes = """
  iVBORw0KGgoAAAANSUhEUgAAAAQAAAAICAIAAABRUclSAAAAGmVYSWZNTQAqAAAACAABARIAAwAAAAEABgAAAAAAANZnS2kA
  AAAaSURBVHicY9SIOsEAA0wMSAA3h/GOjQapegDFhAKZbvge9AAAAABJRU5ErkJggg==
  """
try Data(base64Encoded: bytes, options: .ignoreUnknownCharacters)?.write(to: URL(filePath: photo))

let renderer = ImageRenderer()
let image = try await renderer.render(photo, longEdges: [2048, 4])
print("\(image.format), \(image.width) × \(image.height) upright")
for copy in image.renditions { print("at most \(copy.longEdge): \(copy.width) × \(copy.height)") }

let size = PictureSize(width: UInt32(image.width), height: UInt32(image.height))
let rightHalf = PictureRect(x: size.width / 2, y: 0, width: size.width / 2, height: size.height)
let edit = PictureEdit(crop: PictureCrop(rightHalf, in: size), quarterTurns: 1)
let edited = try await renderer.render(photo, longEdges: [2048], edit: edit, as: .webp)
print("edited: \(edited.renditions[0].width) × \(edited.renditions[0].height)")

print("\(edit.bytes.count) bytes: \(edit)")
print(PictureEdit(edit.description) == edit, PictureEdit("none of ours") == nil)

let plan = PicturePlan(
  stored: PictureSize(width: 3024, height: 4032), orientation: Orientation(rawValue: 6), edit: edit,
  longEdge: 2048)
let from = plan.source
print("take \(from.width) × \(from.height) at \(from.x), \(from.y)")
print("turn as \(plan.orientation.rawValue)")
print("make \(plan.size.width) × \(plan.size.height)")
