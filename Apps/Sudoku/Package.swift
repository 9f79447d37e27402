// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// A package of its own, as each app is. What it has so far needs no library.
let package = Package(
  name: "sudoku",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "SudokuCore", targets: ["SudokuCore"]),
    .library(name: "SudokuGrab", targets: ["SudokuGrab"]),
  ],
  targets: [
    .target(name: "SudokuCore", swiftSettings: settings),
    .target(name: "SudokuGrab", dependencies: ["SudokuCore"], swiftSettings: settings),
    .executableTarget(
      name: "SudokuBench", dependencies: ["SudokuGrab", "SudokuCore"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
