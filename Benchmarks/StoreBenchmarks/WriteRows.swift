import CRawStore
import Foundation
import Measuring
import Reunion

/// Rows about setting fields: the peer is raw SQLite in C.
let writeRows: [(name: String, measure: @Sendable () throws -> Row)] = [
  ("write-1-per-commit", { try write("write-1-per-commit", batch: 1, count: 10_000) }),
  ("write-100-per-commit", { try write("write-100-per-commit", batch: 100, count: 50_000) }),
]

/// CPU time with `synchronous = NORMAL`; below it the same with FULL in wall time.
private func write(_ name: String, batch: Int, count: Int) throws -> Row {
  var ours: [Double] = []
  var peers: [Double] = []
  let folder = Folder()
  let store = try folder.open()
  let peer = RawStore(path: folder.path + "/peer.sqlite", isFull: false)
  try Workload.makeRecords(in: store)
  raw_make_records(peer.raw, Int32(Workload.records))
  for round in 0..<7 {
    // Each round goes on where the last one ended, and the last rounds overwrite.
    let first = round * count % Workload.sets
    ours.append(
      try Measure.nanoseconds {
        try Workload.set(first..<(first + count), generation: round, batch: batch, in: store)
      })
    peers.append(Measure.nanoseconds { peer.set(first, count, round, batch) })
  }
  let full = try fullRow(batch: batch, count: min(count, batch * 500))
  var row = Row(
    name, ours: Measure.median(Array(ours.dropFirst())) / Double(count) / 1000,
    peer: Measure.median(Array(peers.dropFirst())) / Double(count) / 1000,
    peerName: "raw SQLite in C",
    unit: "µs a set, CPU")
  row.notes = [full]
  return row
}

private func fullRow(batch: Int, count: Int) throws -> String {
  let folder = Folder()
  let store = try folder.open(.full)
  let peer = RawStore(path: folder.path + "/peer.sqlite", isFull: true)
  try Workload.makeRecords(in: store)
  raw_make_records(peer.raw, Int32(Workload.records))
  var ours: [Double] = []
  var peers: [Double] = []
  for round in 0..<5 {
    ours.append(
      try wall { try Workload.set(0..<count, generation: round, batch: batch, in: store) })
    peers.append(wall { peer.set(0, count, round, batch) })
  }
  let own = Measure.median(ours) / Double(count)
  let other = Measure.median(peers) / Double(count)
  return String(
    format: "FULL, wall: ours %.1f, raw %.1f µs a set, ratio %.2f; an fsync takes %.0f µs",
    own / 1000, other / 1000, own / other, fsyncNanoseconds(folder.path) / 1000)
}

func wall(_ body: () throws -> Void) rethrows -> Double {
  let start = DispatchTime.now().uptimeNanoseconds
  try body()
  return Double(DispatchTime.now().uptimeNanoseconds - start)
}

/// The median time of an fsync after four kilobytes were appended.
private func fsyncNanoseconds(_ folder: String) -> Double {
  let descriptor = open(folder + "/fsync", O_RDWR | O_CREAT, 0o600)
  defer { close(descriptor) }
  let page = [UInt8](repeating: 7, count: 4096)
  return Measure.median(
    (0..<200).map { _ in
      _ = page.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      return wall { fsync(descriptor) }
    })
}

/// Raw SQLite in C.
final class RawStore {
  let raw: OpaquePointer

  init(path: String, isFull: Bool) {
    guard let raw = raw_open(path, isFull ? 1 : 0) else { fatalError("raw SQLite did not open") }
    self.raw = raw
  }

  deinit { raw_close(raw) }

  func set(_ first: Int, _ count: Int, _ generation: Int, _ batch: Int) {
    raw_set(
      raw, Int32(Workload.records), Int32(first), Int32(count), Int32(generation), Int32(batch))
  }
}
