/// Bytes that wait to be written, in the pieces in which they came.
struct ByteQueue {
  private var pieces: [ArraySlice<UInt8>] = []

  var isEmpty: Bool { pieces.isEmpty }
  var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

  mutating func append(_ bytes: [UInt8]) {
    if !bytes.isEmpty { pieces.append(bytes[...]) }
  }

  /// Moves as many bytes as fit to the start of `room` and returns their count.
  mutating func move(into room: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < room.count, let piece = pieces.first {
      let part = piece.prefix(room.count - count)
      UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyBytes(from: part)
      count += part.count
      if part.count == piece.count {
        pieces.removeFirst()
      } else {
        pieces[0] = piece[part.endIndex...]
      }
    }
    return count
  }
}
