import CRawStore
import Foundation
import Measuring
import Reunion

/// Rows about files, memory and opening.
let sizeRows: [(name: String, measure: @Sendable () throws -> Row)] = [
  ("file-size", fileSize), ("growth-100-passes", growth),
  ("open-100k", { try opening("open-100k", records: Workload.records) }),
  ("open-10m", { try opening("open-10m", records: 1_000_000) }),
  ("memory-100k", memory), ("memory-10m", memoryOfMany),
]

/// Workload M: every field of every record, then four passes over all of them.
@Sendable private func fileSize() throws -> Row {
  let folder = Folder()
  let store = try folder.open()
  let peer = RawStore(path: folder.path + "/peer.sqlite", isFull: false)
  try Workload.makeRecords(in: store)
  raw_make_records(peer.raw, Int32(Workload.records))
  for generation in 0..<5 {
    try Workload.set(0..<Workload.sets, generation: generation, batch: 100, in: store)
    peer.set(0, Workload.sets, generation, 100)
  }
  try store.close()
  let own = try byteCount(folder.path + "/store/store.sqlite")
  let raw = Double(raw_file_bytes(peer.raw))
  var row = Row(
    "file-size", ours: own / 1e6, peer: raw / 1e6, peerName: "raw SQLite in C", unit: "MB")
  row.notes = Peers.notes { String(format: "%@: %.2f MB", $0.name, $0.bytes / 1e6) }
  return row
}

@Sendable private func growth() throws -> Row {
  let folder = Folder()
  var store = try folder.open()
  let path = folder.path + "/store/store.sqlite"
  try Workload.makeRecords(in: store)
  for generation in 0..<2 {
    try Workload.set(0..<Workload.sets, generation: generation, batch: 1000, in: store)
  }
  try store.close()
  let before = try byteCount(path)
  store = try folder.open()
  for generation in 2..<102 {
    try Workload.set(0..<Workload.sets, generation: generation, batch: 1000, in: store)
  }
  try store.close()
  return Row(
    "growth-100-passes", ours: try byteCount(path) / 1e6, peer: before / 1e6,
    peerName: "before them", unit: "MB")
}

/// From nothing to the first field, in wall time.
@Sendable private func opening(_ name: String, records: Int) throws -> Row {
  let folder = Folder()
  try fill(folder, records)
  let id = Workload.id(records / 3)
  var times: [Double] = []
  for _ in 0..<31 {
    var field = ""
    var store: Store?
    times.append(
      try wall {
        store = try folder.open()
        field = try store?.fetch(Item.self, id, in: Workload.space)?.f0 ?? ""
      })
    guard field == Workload.text(Workload.number(records / 3, 0, 0)) else {
      fatalError("\(name): it is another field")
    }
    try store?.close()
  }
  let peer = Peers.all.min { $0.openSeconds < $1.openSeconds }
  return Row(
    name, ours: Measure.median(times) / 1e6, peer: (peer?.openSeconds ?? 0) * 1e3,
    peerName: "\(peer?.name ?? "no peer") with 100k", unit: "ms")
}

@Sendable private func memory() throws -> Row {
  let folder = Folder()
  let own = try Child.peakBytes("workload", folder.path + "/child")
  let empty = try Child.peakBytes("empty", folder.path)
  let peer = Peers.all.min { $0.peakBytes < $1.peakBytes }
  var row = Row(
    "memory-100k", ours: (own - empty) / 1e6, peer: (peer?.peakBytes ?? 0) / 1e6,
    peerName: peer?.name ?? "no peer", unit: "MB over an empty process")
  row.notes = [String(format: "an empty process: %.1f MB", empty / 1e6)]
  return row
}

@Sendable private func memoryOfMany() throws -> Row {
  let folder = Folder()
  try fill(folder, 1_000_000)
  let own = try Child.peakBytes("hold", folder.path + "/store")
  let empty = try Child.peakBytes("empty", folder.path)
  let peer = Peers.all.min { $0.peakBytes < $1.peakBytes }
  return Row(
    "memory-10m", ours: (own - empty) / 1e6, peer: (peer?.peakBytes ?? 0) / 1e6,
    peerName: "\(peer?.name ?? "no peer") with 100k", unit: "MB over an empty process")
}

/// Makes a store of `records` records, ten cells each.
private func fill(_ folder: Folder, _ records: Int) throws {
  let store = try folder.open()
  for start in stride(from: 0, to: records, by: 10_000) {
    try store.write(in: Workload.space) { transaction in
      for record in start..<min(start + 10_000, records) {
        try transaction.create(Workload.item(record))
      }
    }
  }
  try store.close()
}

private func byteCount(_ path: String) throws -> Double {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return (attributes[.size] as? NSNumber)?.doubleValue ?? .nan
}
