/// A barcode that was found in a picture.
public struct Barcode: Sendable, Hashable {
  /// A place in the picture shown upright, in pixels from its top left corner.
  public struct Point: Sendable, Hashable {
    /// Pixels to the right.
    public var x: Double
    /// Pixels down.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// What kind of code it is.
  public let symbology: Symbology
  /// What the code says, decoded from its character set.
  public let text: String
  /// What the code holds, before any character set is applied.
  public let bytes: [UInt8]
  /// The four corners: the code's own top left, top right, bottom right and bottom left, so that
  /// the first one tells how the code is turned. For a linear code they span the scan lines that
  /// read it.
  public let corners: [Point]
  /// Which part it is of what several codes hold together; nil where the code is whole.
  public let part: Part?

  /// Creates a barcode.
  public init(
    symbology: Symbology, text: String, bytes: [UInt8], corners: [Point], part: Part? = nil
  ) {
    self.symbology = symbology
    self.text = text
    self.bytes = bytes
    self.corners = corners
    self.part = part
  }
}

extension Barcode {
  /// Writes the code for the host of the worker.
  func pack(into packer: inout Packer) {
    packer.put(Array(symbology.rawValue.utf8))
    packer.put(Array(text.utf8))
    packer.put(bytes)
    for corner in corners {
      packer.put(corner.x.bitPattern)
      packer.put(corner.y.bitPattern)
    }
    packer.put(Int32(clamping: (part?.number ?? 0) - 1))
    packer.put(Int32(clamping: part?.count ?? 0))
    packer.put(Array((part?.sequence ?? "").utf8))
  }

  /// Reads a code that a worker wrote; nil where it makes no sense.
  init?(from reader: inout Unpacker) {
    guard let symbology = reader.text().flatMap(Symbology.init(rawValue:)),
      let text = reader.text(), let bytes = reader.data()
    else { return nil }
    var corners: [Point] = []
    for _ in 0..<4 {
      guard let x = reader.number(UInt64.self).map(Double.init(bitPattern:)),
        let y = reader.number(UInt64.self).map(Double.init(bitPattern:)), x.isFinite, y.isFinite
      else { return nil }
      corners.append(Point(x: x, y: y))
    }
    guard let index = reader.number(Int32.self), let count = reader.number(Int32.self),
      let sequence = reader.text()
    else { return nil }
    self.init(
      symbology: symbology, text: text, bytes: bytes, corners: corners,
      part: Part(index: Int(index), count: Int(count), sequence: sequence))
  }
}
