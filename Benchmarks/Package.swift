// swift-tools-version: 6.2
import PackageDescription

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
    .executableTarget(
      name: "FlowBenchmarks",
      dependencies: [.product(name: "ReunionFlow", package: "reunion"), "CAllocations"],
      path: "FlowBenchmarks", swiftSettings: settings),
    .target(name: "CAllocations", path: "CAllocations"),
  ],
  swiftLanguageModes: [.v6]
)
