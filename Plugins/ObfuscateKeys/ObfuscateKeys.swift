import Foundation
import PackagePlugin

/// Makes the type `Keys` of a target's file `.keys`, or of the package's where the target has none.
@main
struct ObfuscateKeys: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folders = [target.directoryURL, context.package.directoryURL]
    let files = folders.map { $0.appending(path: ".keys") }
    guard let keys = files.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
      Diagnostics.error(
        "\(target.name) has no file .keys. Write one with lines such as weather = env:WEATHER_KEY"
          + " into its folder, and keep it out of version control.")
      return []
    }
    let source = context.pluginWorkDirectoryURL.appending(path: "Keys.swift")
    return [
      .buildCommand(
        displayName: "Obfuscating the keys of \(target.name)",
        executable: try context.tool(named: "obfuscate-keys").url,
        // A word that is never the same again has it run at each build: every build has fresh pads.
        arguments: ["Keys", keys.path, source.path, UUID().uuidString],
        inputFiles: [keys], outputFiles: [source])
    ]
  }
}
