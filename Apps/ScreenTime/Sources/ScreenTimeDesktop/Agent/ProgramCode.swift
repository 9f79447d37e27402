import Glibc

/// The code of this program and its libraries, as it stands in their files.
enum ProgramCode {
  /// Gives the memory of all code back to the kernel: most of it was needed at the start alone.
  ///
  /// The kernel keeps it while it has room. What runs next is there again at once, from memory or from
  /// its file. *Thread*: any, and the others go on meanwhile.
  static func giveBack() {
    guard let file = fopen("/proc/self/maps", "re") else { return }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0 {
      guard let line, let range = code(in: String(cString: line)) else { continue }
      madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
    }
  }

  /// Where a line of `/proc/self/maps` maps code from a file: nil for all that may be written, or was,
  /// since that stands in no file.
  static func code(in line: String) -> Range<UInt>? {
    let parts = line.split(separator: " ", maxSplits: 5)
    guard parts.count == 6, parts[1] == "r-xp", parts[4] != "0" else { return nil }
    let ends = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
  }
}
