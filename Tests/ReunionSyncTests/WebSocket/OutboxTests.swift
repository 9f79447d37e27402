import Testing

@testable import ReunionSync

/// The outbox asks for a turn of writing, and says how one ends.
@Suite struct OutboxTests {
  @Test func `one turn is asked for, until it leaves nothing behind`() {
    var box = Outbox()
    let asks = [box.append([1]), box.append([2])]
    #expect(asks == [true, false] && box.bytes == 2)
    let first = (box.popFirst(), box.endTurn())
    #expect(first == ([1], .messages))
    let isAskedAgain = box.append([3])
    #expect(!isAskedAgain)
    let last = [box.popFirst(), box.popFirst(), box.popFirst()]
    #expect(last == [[2], [3], nil])
    let ends = [box.endTurn(), box.endTurn()]
    #expect(ends == [.drained, .nothing])
    let isAsked = box.append([4])
    #expect(isAsked)
  }

  @Test func `what comes after the last one left, and before the turn ends, has another turn`() {
    var box = Outbox()
    _ = box.append([1])
    _ = box.popFirst()
    // Whoever sends it asks for nothing, so that the turn must not end here.
    let (asks, rest) = (box.append([2]), box.endTurn())
    #expect(!asks && rest == .messages)
  }

  @Test func `all others overtake pieces of blobs, and nothing overtakes what has begun to leave`()
  {
    var box = Outbox()
    let (piece, text): ([UInt8], [UInt8]) = ([1, 10, 0], [1, 3])
    for message in [piece, piece, text] { _ = box.append(message) }
    #expect(box.urgentBytes == 2 && box.blobBytes == 6 && !box.isPieceNext)
    let first = [box.popFirst(), box.begin()]
    #expect(first == [text, piece] && box.isPieceNext && box.bytes == 6)
    _ = box.append(text)
    let last = [box.begin(), box.popFirst(), box.popFirst(), box.popFirst(), box.popFirst()]
    #expect(last == [piece, piece, text, piece, nil])
    #expect(box.isEmpty && box.bytes == 0 && box.blobBytes == 0)
  }

  @Test func `a closed box takes nothing in and asks for nothing`() {
    var box = Outbox()
    box.isClosed = true
    let asks = box.append([1])
    #expect(!asks && box.isEmpty && box.bytes == 0)
  }
}
