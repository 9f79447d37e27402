import CRawStore
import Foundation
import Reunion

/// What is measured in a process of its own, because memory is counted for all of one:
/// `StoreBenchmarks --child NAME FOLDER` prints its peak memory in kilobytes.
enum Child {
  /// Runs a child and returns its peak memory in bytes.
  static func peakBytes(_ name: String, _ folder: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["--child", name, folder]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let kilobytes = Double(text.trimmed) else {
      fatalError("the child \(name) failed: \(text)")
    }
    return kilobytes * 1024
  }

  /// What a child does before it prints.
  static func run(_ name: String, _ folder: String) throws {
    switch name {
    case "empty": break
    case "workload":
      let store = try open(folder)
      try Workload.makeRecords(in: store)
      for generation in 0..<5 {
        try Workload.set(0..<Workload.sets, generation: generation, batch: 100, in: store)
      }
      try store.close()
    case "hold":
      let store = try open(folder)
      let last = Workload.id(1_000_000 - 1)
      guard try store.fetch(Item.self, last, in: Workload.space) != nil,
        try store.count(Query<Item>(in: Workload.space)) == 1_000_000
      else { fatalError("not all records are there") }
      for record in 0..<1000 {
        try store.write(in: Workload.space) {
          try $0.set(\Item.f1, of: Workload.id(record * 997), to: record)
        }
      }
      try store.close()
    default: fatalError("no such child: \(name)")
    }
    guard let peak = try peakKilobytes() else { fatalError("the peak memory cannot be read") }
    print(peak)
  }

  /// Takes the space of a link into an empty folder, and prints the processor seconds until it is on the disk.
  static func takeSpace(of link: String, to folder: String) async throws {
    let before = clock()
    var options = StoreOptions()
    options.durability = .full
    let replica = try Replica(folder: folder, model: Model(Item.schema), options: options)
    let space = try await replica.space(joining: link)
    let (commits, heard) = AsyncStream<Void>.makeStream()
    let watching = replica.store.observeCommits { commit in
      if commit.space == space, !commit.entities.isEmpty { heard.yield() }
    }
    try replica.sync(space, joining: link)
    for await _ in commits { break }
    watching.cancel()
    let seconds = Double(clock() - before) / Double(CLOCKS_PER_SEC)
    print(seconds, try await replica.count(Query<Item>(in: space)))
    try replica.close()
  }

  private static func open(_ folder: String) throws -> Store {
    var options = StoreOptions()
    options.durability = .normal
    return try Store.open(folder: folder, model: Model(Item.schema), options: options)
  }

  private static func peakKilobytes() throws -> Int? {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
