extension EXIF {
  /// A clock of the file, with the tags of its time, of its offset, and of the parts of its second.
  private struct Tags {
    let clock: CaptureTime.Clock
    let date, offset, fraction: Int
  }

  /// The best first.
  private static let clocks = [
    Tags(clock: .original, date: 0x9003, offset: 0x9011, fraction: 0x9291),
    Tags(clock: .digitized, date: 0x9004, offset: 0x9012, fraction: 0x9292),
    Tags(clock: .file, date: 0x0132, offset: 0x9010, fraction: 0x9290),
  ]
  private static let (satelliteTime, satelliteDate) = (0x07, 0x1D)

  /// When the picture was taken: by the first clock that shows a time which somebody can have
  /// meant.
  func captureTime(now: Int64) -> CaptureTime? {
    let utc = satelliteSeconds.flatMap { CameraDate.isBelievable($0, now: now) ? $0 : nil }
    for tags in Self.clocks {
      guard let wall = text(tags.date).flatMap(CameraDate.seconds),
        CameraDate.isBelievable(wall, now: now)
      else { continue }
      let found = offset(of: tags, showing: wall, at: utc)
      // What a program wrote that changed the file is no better than the satellites.
      if found == nil, tags.clock == .file, utc != nil { continue }
      return CaptureTime(
        wallMilliseconds: wall * 1000 + milliseconds(tags.fraction), clock: tags.clock,
        offset: found)
    }
    return utc.map {
      CaptureTime(wallMilliseconds: $0 * 1000, clock: .satellites, offset: (0, .satellites))
    }
  }

  /// A clock's own offset, or that of another one which shows the same or nothing; else what the
  /// satellites tell.
  private func offset(
    of tags: Tags, showing wall: Int64, at utc: Int64?
  ) -> (seconds: Int, zone: CaptureTime.Zone)? {
    let date = text(tags.date)
    let others = Self.clocks.filter { text($0.date).map { $0 == date } ?? true }
    for each in [tags] + others {
      if let seconds = text(each.offset).flatMap(CameraDate.offset) { return (seconds, .offset) }
    }
    return utc.flatMap { CameraDate.offset(ofClock: wall, at: $0) }.map { ($0, .satellites) }
  }

  /// The time of the satellites, which is UTC, in seconds since 1970.
  private var satelliteSeconds: Int64? {
    guard let date = text(Self.satelliteDate, ofPlace: true).flatMap(CameraDate.midnight),
      let time = rationals(Self.satelliteTime, count: 3), time[0] < 24, time[1] < 60, time[2] < 60
    else { return nil }
    return date + Int64(time[0] * 3600 + time[1] * 60 + time[2])
  }

  /// The parts of a second, which are written as its decimals.
  private func milliseconds(_ tag: Int) -> Int64 {
    guard let digits = text(tag)?.prefix(while: { (0x30...0x39).contains($0) }) else { return 0 }
    let three = (Array(digits.prefix(3)) + [0x30, 0x30, 0x30]).prefix(3)
    return three.reduce(0) { $0 * 10 + Int64($1) - 0x30 }
  }
}
