import ChangelogSamples
import Foundation

// Writes the generated changelogs into a folder: changelog-samples FOLDER
let arguments = CommandLine.arguments
guard arguments.count == 2 else {
  FileHandle.standardError.write(Data("Say where to: changelog-samples FOLDER\n".utf8))
  exit(2)
}

func write(_ samples: [Sample], to folder: String) throws {
  for sample in samples {
    let file = URL(filePath: arguments[1]).appending(path: folder).appending(path: sample.name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(sample.bytes).write(to: file)
  }
}

try write((0..<OddSamples.count).map(OddSamples.sample), to: "odd")
for dialect in SampleDialect.allCases {
  for number in 0..<RunnableSamples.count {
    let sample = RunnableSamples.sample(number, dialect)
    let facts = "\(sample.middle) \(sample.total) \(sample.isRestless)\n"
    let note = Sample(name: "facts", bytes: Array(facts.utf8))
    try write(sample.files + [note], to: "\(dialect.rawValue)/\(number)")
  }
}
