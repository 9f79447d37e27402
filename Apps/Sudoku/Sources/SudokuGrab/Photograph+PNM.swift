/// Why bytes are no picture.
public struct PNMError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence.
  public let description: String
}

extension Photograph {
  /// Reads a binary PGM or PPM file of 8 bits.
  ///
  /// - Throws: A sentence where it is none, was cut, or is too large or too small.
  public init(pnm bytes: [UInt8]) throws(PNMError) {
    guard bytes.count > 2, bytes[0] == 80, bytes[1] == 53 || bytes[1] == 54 else {
      throw PNMError(description: "This is no binary PGM or PPM picture.")
    }
    let channels = bytes[1] == 53 ? 1 : 3
    var (at, numbers) = (2, [Int]())
    while numbers.count < 3 {
      while at < bytes.count, [9, 10, 13, 32].contains(bytes[at]) { at += 1 }
      if at < bytes.count, bytes[at] == 35 {
        while at < bytes.count, bytes[at] != 10 { at += 1 }
        continue
      }
      let start = at
      var number = 0
      while at < bytes.count, (48...57).contains(bytes[at]), at - start < 9 {
        number = number * 10 + Int(bytes[at] - 48)
        at += 1
      }
      guard at > start else { throw PNMError(description: "This picture's head is damaged.") }
      numbers.append(number)
    }
    guard numbers[2] == 255 else {
      throw PNMError(description: "This picture has not 8 bits a channel. Save it with 8 bits.")
    }
    let pixels = bytes.dropFirst(at + 1)
    let (width, height) = (numbers[0], numbers[1])
    guard width >= 32, height >= 32, width <= Self.pixelsMax / height else {
      throw PNMError(description: "A picture of \(width) × \(height) pixels is not read.")
    }
    guard pixels.count == width * height * channels,
      let photograph = Photograph(
        width: width, height: height, channels: channels, bytes: Array(pixels))
    else {
      throw PNMError(description: "This picture has not as many pixels as its head says.")
    }
    self = photograph
  }
}
