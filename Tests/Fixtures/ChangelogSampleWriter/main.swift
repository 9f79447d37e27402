import ChangelogSamples
import Foundation

// Writes the generated changelogs into a folder: changelog-samples FOLDER
let arguments = CommandLine.arguments
guard arguments.count == 2 else {
  FileHandle.standardError.write(Data("Say where to: changelog-samples FOLDER\n".utf8))
  exit(2)
}
let folder = URL(filePath: arguments[1])
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
for number in 0..<OddSamples.count {
  let sample = OddSamples.sample(number)
  try Data(sample.bytes).write(to: folder.appending(path: sample.name))
}
