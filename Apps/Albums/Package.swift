// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the compiler proves that Albums stands on public API alone.
let package = Package(
  name: "albums",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reunion", path: "../..")],
  targets: [
    .executableTarget(
      name: "Albums",
      dependencies: [
        .product(name: "Reunion", package: "reunion"),
        .product(name: "ReunionServer", package: "reunion"),
        .product(name: "ReunionMedia", package: "reunion"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
