import Foundation
import Testing

/// `reunion scan` on a text that is in three QR Codes.
@Suite struct ScanPartsTests {
  static let text = "Zulassung: Käfer, Baujahr 1967, Farbe grün, Kennzeichen B-AB 123"
  /// Pictures of its parts, in order.
  static let pictures = [
    """
    iVBORw0KGgoAAAANSUhEUgAAAIQAAACEAQAAAAB5P74KAAAAwklEQVR42u1WQQrDMAwT+4D+/0v9wJPS7LAexkA5\
    1qQkGCpkyTHB3EJ4Mt8ZAHSAOYxeuMc/GePQS59Dg4OQMbMcahzoBA51obX6TPZSn+0XW79WMBirEwo+Ey7EdPr4\
    f0Xpi1vDR1saVTgTCBrEW4OzutDKQJ0+9krpw6yGjyuCFJk7HM6S2Jz8NXVpFxbjyn6OVYxx5f0KmxP3Pd1jPmjn\
    T0QOozkwx8Kmnofmk8aeUp/ciYVY+oWIrG6uPq+CH5k3LV/39z1aF+YAAAAASUVORK5CYII=
    """,
    """
    iVBORw0KGgoAAAANSUhEUgAAAIQAAACEAQAAAAB5P74KAAAAyElEQVR42u2WwYkDUQxDzTbg/rtUB46kwEJCDoF3\
    jWcOH8MIfVkWM/dWml/ntTMzu6fbHE5/817fdIyzfleGyoHgmM4UpLwYThlxHFkczKdQd1SfzisF59X6dwTgc6Zh\
    ZU5ifDTy9zKiCI46cYPV7kQf+W7xs5bgZFJdr7qa+Cc3sxctEdI5GDlSfazwelR+mH+67nZRl4P5+RlAg/dL95T6\
    8L6HC8zVCKSi4ByL2qqhYR4quyGuj4Hsw8V5mCDTHs7D31/B584D+CIIm/FgoJkAAAAASUVORK5CYII=
    """,
    """
    iVBORw0KGgoAAAANSUhEUgAAAIQAAACEAQAAAAB5P74KAAAAwklEQVR42u1WQQ7EQAgi+wH//0t+YEFP2/TQlB5r\
    psnEA1FBpuhTEF/mPwOgqtnlS/OHc9zJCKd0iuBcEhyVAyFUTV0Zjip6A4flvkKcgWKn8xm+HCFfExDxq4Tn9TRM\
    lkphVA9rDz3upK8yBoWBqC+XYh0Cgor4ckduKd0LCsV3dsa7pOPOTFc6n4Fhpp/hCyvnUM8WoXlP94vG8c6nfujw\
    2qc+Nh/6BR/btlIcznsRzwdrHjFf40BrQpkffn8F15kDUk0BwNrw8tgAAAAASUVORK5CYII=
    """,
  ]

  let folder = FileManager.default.temporaryDirectory.appending(path: "parts-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, picture) in Self.pictures.enumerated() {
      try #require(Data(base64Encoded: picture)).write(
        to: folder.appending(path: "\(index + 1).png"))
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func scan(_ parts: [Int], _ options: String...) throws -> Command.Run {
    try Command.run(
      ["scan"] + parts.map { folder.appending(path: "\($0).png").path } + options)
  }

  @Test func `parts say which they are, and are joined whatever their order`() throws {
    defer { remove() }
    let run = try scan([3, 1, 2])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].contains("3.png: QR Code, part 3 of 3: "))
    #expect(lines[1].contains("1.png: QR Code, part 1 of 3: Zulassung"))
    #expect(lines[3] == "QR Code, 3 parts joined: \(Self.text)")
    let json = try scan([2, 3, 1], "--json")
    let code = try #require((json.lines[0]["codes"] as? [[String: Any]])?.first)
    let part = try #require(code["part"] as? [String: Any])
    #expect(part["number"] as? Int == 2 && part["count"] as? Int == 3)
    let joined = try #require(json.last["joined"] as? [String: Any])
    #expect(joined["text"] as? String == Self.text && joined["count"] as? Int == 3)
    #expect(joined["sequence"] as? String == part["sequence"] as? String)
  }

  @Test func `parts that are missing are named`() throws {
    defer { remove() }
    let two = try scan([3, 1])
    #expect(two.status == 0 && !two.output.contains("joined"))
    #expect(
      two.errors.contains("QR Code: part 2 of 3 is missing. Give its picture in the same call."),
      "\(two.errors)")
    #expect(
      try scan([2]).errors.contains("QR Code: parts 1 and 3 of 3 are missing. Give their pictures"))
    let joined = try #require(try scan([2], "--json").last["joined"] as? [String: Any])
    #expect(joined["missing"] as? [Int] == [1, 3] && joined["text"] == nil)
  }

  @Test func `a code that is whole is no part (control)`() throws {
    defer { remove() }
    let file = folder.appending(path: "whole.png").path
    _ = try Command.run("barcode", "qr", "whole", "--png", file)
    #expect(try Command.run("scan", file).output == "QR Code: whole\n")
    let json = try Command.run("scan", file, "--json")
    #expect(json.lines.count == 1)
    let code = try #require((json.last["codes"] as? [[String: Any]])?.first)
    #expect(code["part"] == nil)
  }
}
