import CSQLite
import ReunionCore
import ReunionStore
import ReunionTesting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// A program for a test: a store whose allocations in SQLite fail, one after another. A process of
// its own, since the hook must be there before SQLite is.
//
//     AllocationFaults STRIDE   fails the allocations 1, 1 + STRIDE, …, until a run needs fewer

struct Line: Entity, Hashable {
  let id: RecordID
  var text = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Line>(1, "line", [.field(1, "text", \.text)])
}

struct Run {
  let space = SpaceID(high: 1, low: 1)
  let disk: SimulatedDisk
  var options = StoreOptions()
  var store: Store?
  var lines: [RecordID: Line] = [:]
  var errors = 0

  init(seed: UInt64) {
    disk = SimulatedDisk(seed: seed)
    options.disk = disk
  }

  func open() throws -> Store {
    try Store.open(folder: "/store", model: Model(Line.schema), options: options)
  }

  /// Does something with the store; an error must be one of memory, and nothing may be lost.
  mutating func attempt(_ body: (inout Run) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as StoreError {
      let failures = reunion_allocation_failures()
      reunion_fail_allocation(0)
      errors += 1
      // A file that cannot be opened is not writable, whatever the reason.
      let codes: [StoreError.Code] = [.outOfMemory, .notWritable, .ioFailed]
      guard failures > 0, codes.contains(error.code) else { throw error }
      try check()
    }
  }

  /// Throws unless what was acknowledged is there.
  mutating func check() throws {
    let open = try store ?? open()
    store = open
    for line in lines.values where try open.fetch(Line.self, line.id, in: space) != line {
      throw StoreError(.unexpected, "\(line.id) was acknowledged, and is not there")
    }
  }

  mutating func run(failing number: Int) throws -> Bool {
    reunion_fail_allocation(number)
    try attempt { $0.store = try $0.open() }
    for number in 0..<4 {
      try attempt { run in
        guard let store = run.store else { return }
        var line = Line(id: store.newID())
        line.text = String(repeating: "\(number) ", count: 400)
        try store.write(in: run.space) { [line] in try $0.create(line) }
        run.lines[line.id] = line
      }
    }
    try attempt { run in
      guard let store = run.store else { return }
      _ = try store.blobs.add([UInt8](repeating: 7, count: 3000))
      _ = try store.fetch(Query<Line>(in: run.space).sorted(by: \.text))
      _ = try store.digest(of: run.space)
    }
    try attempt { run in
      let closing = run.store
      run.store = nil
      try closing?.close()
    }
    let isReached = reunion_allocation_failures() > 0 || errors > 0
    reunion_fail_allocation(0)
    store = nil
    try check()
    try store?.close()
    return isReached
  }
}

guard CommandLine.arguments.count == 2, let stride = Int(CommandLine.arguments[1]), stride > 0,
  reunion_allocation_faults_install() == SQLITE_OK, sqlite3_initialize() == SQLITE_OK
else {
  print("usage: AllocationFaults STRIDE")
  exit(2)
}
var (number, runs, errors) = (1, 0, 0)
while true {
  var run = Run(seed: UInt64(number))
  do {
    guard try run.run(failing: number) else { break }
  } catch {
    print("allocation \(number): \(error)")
    exit(1)
  }
  runs += 1
  errors += run.errors
  number += stride
}
print("\(runs) allocations failed, \(errors) errors told, 0 acknowledged writes lost")
