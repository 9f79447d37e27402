// swift-tools-version: 6.2
import PackageDescription

// SwiftPM tells packages apart by the names of their folders, and would take the library for this one.
if Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased() == "benchmarks" {
  fatalError("SwiftPM cannot tell the clone from its folder Benchmarks. Rename the clone.")
}

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reunion", path: "..")],
  targets: [
    .target(
      name: "Measuring", dependencies: ["CAllocations"], path: "Measuring",
      swiftSettings: settings),
    .executableTarget(
      name: "FlowBenchmarks",
      dependencies: [.product(name: "ReunionFlow", package: "reunion"), "Measuring"],
      path: "FlowBenchmarks", swiftSettings: settings),
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [.product(name: "Reunion", package: "reunion"), "Measuring", "CRawStore"],
      path: "StoreBenchmarks", swiftSettings: settings),
    .executableTarget(
      name: "FeedBenchmarks",
      dependencies: [
        .product(name: "ReunionFeeds", package: "reunion"), "Measuring", "CFeedHandler",
      ],
      path: "FeedBenchmarks", swiftSettings: settings),
    .systemLibrary(name: "CXMLLibrary", path: "CXMLLibrary", pkgConfig: "libxml-2.0"),
    .target(name: "CFeedHandler", dependencies: ["CXMLLibrary"], path: "CFeedHandler"),
    .target(name: "CAllocations", path: "CAllocations"),
    .target(name: "CRawStore", path: "CRawStore", linkerSettings: [.linkedLibrary("sqlite3")]),
  ],
  swiftLanguageModes: [.v6]
)
