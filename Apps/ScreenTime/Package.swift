// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// A package of its own, as each app is. What it has so far needs no library.
let package = Package(
  name: "screen-time",
  platforms: [.macOS(.v15)],
  products: [.library(name: "ScreenTimeCore", targets: ["ScreenTimeCore"])],
  targets: [.target(name: "ScreenTimeCore", swiftSettings: settings)],
  swiftLanguageModes: [.v6]
)
