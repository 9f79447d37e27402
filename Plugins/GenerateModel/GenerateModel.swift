import Foundation
import PackagePlugin

/// Makes Swift of each model in a target's folder, such as `Album.reunionmodel`.
@main
struct GenerateModel: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let names = try FileManager.default.contentsOfDirectory(atPath: target.directoryURL.path)
      .filter { $0.hasSuffix(".reunionmodel") }.sorted()
    guard !names.isEmpty else {
      Diagnostics.error(
        "\(target.name) has no model. Make a folder such as Album.reunionmodel beside its sources, with"
          + " the first version in v1.model.")
      return []
    }
    return try names.map { name in
      let folder = target.directoryURL.appending(path: name)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let made = name.replacing(".reunionmodel", with: ".generated.swift")
      let source = context.pluginWorkDirectoryURL.appending(path: made)
      return .buildCommand(
        displayName: "Generating the model \(name)",
        executable: try context.tool(named: "generate-model").url,
        arguments: [folder.path, source.path],
        inputFiles: files.map { folder.appending(path: $0) }, outputFiles: [source])
    }
  }
}
