import ReunionCore

/// What is said for as long as the connection lasts, beside what is kept.
extension Channel {
  /// Stops or resumes taking what the other side says on the passage.
  func pausePassage(_ isPaused: Bool) {
    passage.isPaused = isPaused
    if isOpen { attempt { try tellRoom() } }
  }

  func tellRoom() throws {
    guard let count = passage.tell() else { return }
    var writer = ByteWriter()
    writer.varint(count)
    try seal(Word.room, writer.bytes)
  }

  /// Adds parts of the passage to the control stream until a frame is full.
  private func fill(isUrgent: Bool) throws {
    while control.count < flow.pieceBytesMax, isUrgent ? passage.hasUrgent : passage.hasBulk {
      // A part is no longer than some frames, so that what comes next does not wait long.
      let room = flow.pieceBytesMax * 16
      try seal(Word.part, passage.nextPart(room, isUrgent: isUrgent))
    }
    if passage.isDrained(isUrgent: isUrgent) { events.append(.drained(isUrgent: isUrgent)) }
  }

  /// Gives the passage its turn: what is urgent in turns with records, the rest with blobs.
  func fillInTurn() throws {
    let isUrgent = passage.hasUrgent
    guard isUrgent || passage.hasBulk, let correspondence else { return }
    let lane = isUrgent ? Lane.records : .blobs
    guard flow.hasRoom(Int(lane.rawValue)) else { return }
    func hasFrames(_ lane: Lane) -> Bool {
      correspondence.hasMore(on: lane) && flow.isOpen(Int(lane.rawValue))
    }
    // A lane with frames of its own has as many in turn, and what may wait waits for records.
    guard isUrgent || !hasFrames(.records) else { return }
    guard laneTurns == 0 || !hasFrames(lane) else { return laneTurns -= 1 }
    try fill(isUrgent: isUrgent)
    laneTurns = (control.count + flow.pieceBytesMax - 1) / flow.pieceBytesMax
  }
}
