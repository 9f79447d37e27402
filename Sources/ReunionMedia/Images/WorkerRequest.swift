import ReunionCore

/// What the host asks of the image worker.
struct WorkerRequest: Sendable, Hashable {
  enum Kind: UInt8, Sendable {
    case render = 1
    case checkPreview = 2
    case readBarcodes = 3
    /// With zxing's own options, which end the worker on some pictures; for comparison.
    case readBarcodesByDefault = 4
    /// What the program itself makes of the pixels.
    case readPixels = 5
  }

  static let longEdgesMax = 8
  static let longEdgePixelsMax = 16_383
  static let frameBytesMax = 16 << 10

  var kind: Kind
  /// Descending.
  var longEdges: [Int] = []
  /// How many bytes of the picture follow the request; the host knows them when it has opened the file.
  var byteCount = 0
  var pixelsMax: Int
  var fileBytesMax: Int
  var secondsMax: Int
  /// How long it may compute: as long as it may take, where the processor is its own.
  var computingSecondsMax: Int
  var quality: Int
  /// The bits of the symbologies to look for.
  var symbologies: UInt32 = 0
  var edit = PictureEdit.original
  var format = ImageFormat.jpeg

  /// Creates a request, or nil when an argument makes no sense.
  init?(
    _ kind: Kind, longEdges: [Int] = [], edit: PictureEdit = .original,
    format: ImageFormat = .jpeg, quality: Int? = nil, limits: ImageLimits
  ) {
    let edges = Set(longEdges).sorted(by: >)
    guard edges.count <= Self.longEdgesMax,
      edges.allSatisfy({ (1...Self.longEdgePixelsMax).contains($0) })
    else { return nil }
    guard ImageFormat.encoded.contains(format) else { return nil }
    self.kind = kind
    self.longEdges = edges
    self.edit = edit
    self.format = format
    pixelsMax = max(1, limits.pixelsMax)
    fileBytesMax = max(1, limits.fileBytesMax)
    if kind == .checkPreview { fileBytesMax = CheckedPreview.fileBytesMax }
    secondsMax = max(1, limits.secondsMax)
    computingSecondsMax = secondsMax
    self.quality = min(max(1, quality ?? limits.quality), 100)
  }

  var packed: [UInt8] {
    var packer = Packer()
    packer.put(kind.rawValue)
    packer.put(Int64(byteCount))
    packer.put(Int64(pixelsMax))
    packer.put(Int64(fileBytesMax))
    packer.put(Int32(clamping: secondsMax))
    packer.put(Int32(clamping: computingSecondsMax))
    packer.put(UInt8(clamping: quality))
    packer.put(edit.bytes)
    packer.put(Array(format.rawValue.utf8))
    packer.put(UInt8(clamping: longEdges.count))
    for edge in longEdges { packer.put(Int32(clamping: edge)) }
    packer.put(symbologies)
    return packer.bytes
  }

  init?(packed: [UInt8]) {
    var reader = Unpacker(packed)
    guard let kind = reader.number(UInt8.self).flatMap(Kind.init),
      let byteCount = reader.number(Int64.self),
      let pixelsMax = reader.number(Int64.self), let fileBytesMax = reader.number(Int64.self),
      let secondsMax = reader.number(Int32.self), let computing = reader.number(Int32.self),
      let quality = reader.number(UInt8.self),
      let edit = reader.data().flatMap(PictureEdit.init(bytes:)),
      let format = reader.text().flatMap(ImageFormat.init(rawValue:)),
      let count = reader.number(UInt8.self)
    else { return nil }
    guard byteCount >= 0, byteCount <= fileBytesMax else { return nil }
    self.kind = kind
    self.byteCount = Int(byteCount)
    self.pixelsMax = Int(pixelsMax)
    self.fileBytesMax = Int(fileBytesMax)
    self.secondsMax = Int(secondsMax)
    computingSecondsMax = Int(computing)
    self.quality = Int(quality)
    self.edit = edit
    self.format = format
    for _ in 0..<count {
      guard let edge = reader.number(Int32.self) else { return nil }
      longEdges.append(Int(edge))
    }
    guard let symbologies = reader.number(UInt32.self) else { return nil }
    self.symbologies = symbologies
    guard reader.isAtEnd else { return nil }
  }
}
