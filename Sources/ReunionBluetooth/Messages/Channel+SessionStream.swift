import ReunionCore

/// What is said for as long as the connection lasts, beside what is kept.
extension Channel {
  /// Stops or resumes taking what the other side says on the session stream.
  func pauseStream(_ isPaused: Bool) {
    stream.isPaused = isPaused
    if isOpen { attempt { try tellRoom() } }
  }

  func tellRoom() throws {
    guard let count = stream.tell() else { return }
    var writer = ByteWriter()
    writer.varint(count)
    try seal(Word.room, writer.bytes)
  }

  /// Adds parts of the session stream to the control stream until a frame is full.
  private func fill(isUrgent: Bool) throws {
    while control.count < flow.pieceBytesMax, isUrgent ? stream.hasUrgent : stream.hasBulk {
      // A part is no longer than some frames, so that what comes next does not wait long.
      let room = flow.pieceBytesMax * 16
      try seal(Word.part, stream.nextPart(room, isUrgent: isUrgent))
    }
    if stream.isDrained(isUrgent: isUrgent) { events.append(.drained(isUrgent: isUrgent)) }
  }

  /// Gives the session stream its turn: what is urgent in turns with records, the rest with blobs.
  func fillInTurn() throws {
    let isUrgent = stream.hasUrgent
    guard isUrgent || stream.hasBulk, let mailbox else { return }
    let lane = isUrgent ? Lane.records : .blobs
    guard flow.hasRoom(Int(lane.rawValue)) else { return }
    func hasFrames(_ lane: Lane) -> Bool {
      mailbox.hasMore(on: lane) && flow.isOpen(Int(lane.rawValue))
    }
    // A lane with frames of its own has as many in turn, and what may wait waits for records.
    guard isUrgent || !hasFrames(.records) else { return }
    guard laneTurns == 0 || !hasFrames(lane) else { return laneTurns -= 1 }
    try fill(isUrgent: isUrgent)
    laneTurns = (control.count + flow.pieceBytesMax - 1) / flow.pieceBytesMax
  }
}
