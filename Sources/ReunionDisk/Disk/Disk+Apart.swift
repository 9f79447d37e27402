#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Disk {
  /// Refuses to copy from one folder to another where one is the other, or is inside of it, by
  /// whatever links.
  package func requireApart(_ source: String, _ target: String) throws(StoreError) {
    let (one, two) = (realPath(source), realPath(target))
    guard one != two else {
      throw StoreError(.notWritable, "\(target) is \(source) itself: choose another folder.")
    }
    for (inner, outer, names) in [
      (two, one, (target, source)), (one, two, (source, target)),
    ] where inner.hasPrefix(outer == "/" ? "/" : outer + "/") {
      throw StoreError(
        .notWritable, "\(names.0) is inside \(names.1): choose a folder to write to beside it.")
    }
  }

  /// A path without links, `.` and `..`; what is not there yet follows on what is.
  private func realPath(_ path: String) -> String {
    var rest: [Substring] = []
    var folder = path
    var parts: [Substring] = []
    while true {
      if self is SystemDisk, let real = realpath(folder, nil) {
        defer { free(real) }
        parts = String(cString: real).split(separator: "/")
        break
      }
      let parent = folder.parentFolder
      if parent == folder { break }
      let slash = folder.lastIndex(of: "/")
      rest.append(slash.map { folder[folder.index(after: $0)...] } ?? folder[...])
      folder = parent
    }
    for part in rest.reversed() where part != "." && !part.isEmpty {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
