import Foundation

/// The names of the seeded bugs that modules declare, as their sources say.
public func declaredBugs(in modules: String...) throws -> Set<String> {
  var sources = URL(filePath: #filePath)
  for _ in 0..<4 { sources.deleteLastPathComponent() }
  sources.append(path: "Sources")
  var names: Set<String> = []
  for module in modules {
    let folder = sources.appending(path: module).path()
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where path.hasSuffix("Bugs.swift") {
      let text = try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
      names.formUnion(text.matches(of: /static var (\w+): Self { Self\(\) }/).map { String($0.1) })
    }
  }
  return names
}
