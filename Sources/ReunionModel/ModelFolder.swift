#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ModelHistory {
  /// Reads a folder such as `Album.reunionmodel`.
  package init(contentsOf folder: String) throws {
    let path = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    var files: [String: String] = [:]
    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
    for name in names ?? [] where name.hasSuffix(".model") || name == Self.lock {
      let file = URL(filePath: "\(path)/\(name)")
      let byteCount =
        try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
      guard byteCount <= ModelFile.bytesMax else {
        throw ModelProblem(
          file: file.path, line: 1, column: 1,
          sentence: "The file has over \(ModelFile.bytesMax) bytes.")
      }
      guard let text = String(validating: try Data(contentsOf: file), as: UTF8.self) else {
        throw ModelProblem(
          file: file.path, line: 1, column: 1,
          sentence: "The file is no text in UTF-8. Save it as such.")
      }
      files[name] = text
    }
    try self.init(folder: path, files: files)
  }
}
