// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// SwiftPM tells packages apart by the names of their folders. In a clone that is called like this app,
// the link beside it leads to the library by another name.
let clone = Context.packageDirectory.split(separator: "/").dropLast(2).last ?? ""
let library = clone.lowercased() == "words" ? "../reunion" : "../.."

// A package of its own, so that the compiler proves that Words stands on public API alone.
let package = Package(
  name: "words",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reunion", path: library)],
  targets: [
    .target(name: "WordsCore", swiftSettings: settings),
    .target(
      name: "WordsUmpire",
      dependencies: ["WordsCore", .product(name: "Reunion", package: "reunion")],
      swiftSettings: settings, plugins: [.plugin(name: "GenerateModel", package: "reunion")]),
    .executableTarget(
      name: "WordsBench",
      dependencies: ["WordsUmpire", "WordsCore", .product(name: "Reunion", package: "reunion")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ],
      plugins: [.plugin(name: "GenerateModel", package: "reunion")]),
    .executableTarget(
      name: "Words",
      dependencies: [
        "WordsUmpire",
        .product(name: "Reunion", package: "reunion"),
        .product(name: "ReunionServer", package: "reunion"),
        .product(name: "ReunionEntrance", package: "reunion"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ],
      // Full RELRO, as the programs of the library have it.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
      ]),
  ],
  swiftLanguageModes: [.v6]
)
