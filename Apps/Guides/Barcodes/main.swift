import Foundation
import ReunionMedia

ImageWorker.runIfAsked()
let file = "\(CommandLine.arguments[1])/ticket.png"
let reader = BarcodeReader()

let ticket = try BarcodeMatrix(encoding: "https://example.org/t/4711", as: .qr)
try Data(ticket.png(modulePixels: 6)).write(to: URL(filePath: file))
for code in try await reader.read(file) {
  print("\(code.symbology): \(code.text), \(code.bytes.count) bytes")
}
do {
  _ = try BarcodeMatrix(encoding: "9780143007235", as: .ean13)
} catch {
  print(error.message)
}
