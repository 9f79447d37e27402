import ReunionCore
import ReunionStore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// A program for crash tests and figures.
//
//     StoreWriter write FOLDER     writes for ever; prints a line after each commit
//     StoreWriter chunks FOLDER    writes chunks of a blob for ever; prints each one's number
//     StoreWriter measure FOLDER   prints how fast it writes, and how many bytes a cell takes

struct Line: Entity {
  let id: RecordID
  var number = 0
  var text = ""
  var amount = 0.0
  var isDone = false
  var note: String?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Line>(
    1, "line",
    [
      .field(1, "number", \.number), .field(2, "text", \.text), .field(3, "amount", \.amount),
      .field(4, "is done", \.isDone), .field(5, "note", \.note),
    ])
}

let space = SpaceID(high: 1, low: 1)
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: StoreWriter write|measure FOLDER")
  exit(2)
}
let store = try Store.open(folder: arguments[2], model: Model(Line.schema))

func say(_ line: String) throws {
  let bytes = Array((line + "\n").utf8)
  guard write(1, bytes, bytes.count) == bytes.count else { exit(1) }
}

func seconds() -> Double {
  var now = timespec()
  guard clock_gettime(CLOCK_MONOTONIC, &now) == 0 else { exit(1) }
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

func measure() throws {
  var ids: [RecordID] = []
  let words = ["harbour", "morning", "the third of May", "a walk", "light"]
  try store.write(in: space) { transaction in
    for number in 0..<20_000 {
      var line = Line(id: transaction.newID())
      line.number = number
      line.text = words[number % words.count]
      line.amount = Double(number) / 7
      ids.append(line.id)
      try transaction.create(line)
    }
  }
  try store.close()
  var database = stat()
  guard stat(arguments[2] + "/store.sqlite", &database) == 0 else { exit(1) }
  print("bytes a cell, 5 fields and a creation: \(Double(database.st_size) / 120_000)")

  let open = try Store.open(folder: arguments[2], model: Model(Line.schema))
  for (size, count) in [(1, 20_000), (100, 200_000)] {
    let start = seconds()
    for commit in 0..<count / size {
      try open.write(in: space) { transaction in
        for index in 0..<size {
          let number = commit * size + index
          try transaction.set(\Line.number, of: ids[number * 7919 % ids.count], to: number)
        }
      }
    }
    print("sets a second at \(size) a commit, FULL: \(Int(Double(count) / (seconds() - start)))")
  }
  let start = seconds()
  let found = try open.fetch(Query<Line>(in: space)).count
  print("fetches a second: \(Int(Double(found) / (seconds() - start)))")
}

switch arguments[1] {
case "measure": try measure()
case "chunks":
  let blob = BlobReference(hash: BlobHash(of: [9]), byteCount: 64 << 20)
  guard let transfer = try store.blobs.receive(blob).transfer else { exit(3) }
  for step in 0... {
    let index = step * 389 % 1024
    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 65_536)
    try transfer.write(bytes, chunk: index)
    try say("\(index)")
  }
default:
  for number in 1... {
    let id = store.newID()
    try store.write(in: space) { transaction in
      var line = Line(id: id)
      line.number = number
      line.text = String(repeating: "x", count: number % 300)
      try transaction.create(line)
    }
    try say("\(id.description) \(number)")
    if number % 20 == 0 {
      let blob = try store.blobs.add(Array(id.description.utf8))
      try say("blob \(blob.hash.description)")
    }
  }
}
