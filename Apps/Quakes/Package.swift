// swift-tools-version: 6.2
import PackageDescription

// SwiftPM tells packages apart by the names of their folders. In a clone that is called like this app,
// the link beside it leads to the library by another name.
let clone = Context.packageDirectory.split(separator: "/").dropLast(2).last ?? ""
let library = clone.lowercased() == "quakes" ? "../reunion" : "../.."

// A package of its own, so that the compiler proves that Quakes stands on public API alone.
let package = Package(
  name: "quakes",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reunion", path: library)],
  targets: [
    .executableTarget(
      name: "Quakes",
      dependencies: [
        .product(name: "Reunion", package: "reunion"),
        .product(name: "ReunionCore", package: "reunion"),
        .product(name: "ReunionServer", package: "reunion"),
        .product(name: "ReunionFeeds", package: "reunion"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ],
      // Full RELRO, as the programs of the library have it.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
      ],
      plugins: [.plugin(name: "GenerateModel", package: "reunion")])
  ],
  swiftLanguageModes: [.v6]
)
