// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the compiler proves that Quakes stands on public API alone.
let package = Package(
  name: "quakes",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reunion", path: "../..")],
  targets: [
    .executableTarget(
      name: "Quakes",
      dependencies: [
        .product(name: "Reunion", package: "reunion"),
        .product(name: "ReunionServer", package: "reunion"),
        .product(name: "ReunionFeeds", package: "reunion"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
