// swift-tools-version: 6.2
import PackageDescription

// SwiftPM tells packages apart by the names of their folders. In a clone that is called like this
// app, the link beside it leads to the library by another name.
let clone = Context.packageDirectory.split(separator: "/").dropLast(2).last ?? ""
let library = clone.lowercased() == "screentime" ? "../reunion" : "../.."

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Full RELRO, as the programs of the library have it.
let hardened: [LinkerSetting] = [
  .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
]

// A package of its own, so that the compiler proves that it stands on public API alone.
let package = Package(
  name: "screen-time",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "ScreenTime", targets: ["ScreenTime"]),
    .executable(name: "screentime-agent", targets: ["screentime-agent"]),
  ],
  dependencies: [.package(name: "reunion", path: library)],
  targets: [
    .target(name: "ScreenTimeCore", swiftSettings: settings),
    .target(
      name: "ScreenTimeBook",
      dependencies: [
        "ScreenTimeCore",
        .product(name: "Reunion", package: "reunion"),
        .product(name: "ReunionCore", package: "reunion"),
      ],
      swiftSettings: settings,
      plugins: [.plugin(name: "GenerateModel", package: "reunion")]),
    // What an X server says of the focus and of the last input.
    .target(
      name: "CDesk",
      linkerSettings: ["xcb", "xcb-screensaver", "xcb-ewmh"].map { .linkedLibrary($0) }),
    .target(
      name: "ScreenTimeDesk",
      dependencies: [
        "ScreenTimeBook", "ScreenTimeCore", "CDesk",
        .product(name: "Reunion", package: "reunion"),
        .product(name: "ReunionCore", package: "reunion"),
        .product(name: "ReunionDesktop", package: "reunion"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "screentime-agent", dependencies: ["ScreenTimeDesk"],
      path: "Sources/ScreenTimeAgent", swiftSettings: settings, linkerSettings: hardened),
    .executableTarget(
      name: "ScreenTime",
      dependencies: [
        "ScreenTimeBook",
        .product(name: "Reunion", package: "reunion"),
        .product(name: "ReunionServer", package: "reunion"),
        .product(name: "ReunionEntrance", package: "reunion"),
      ],
      swiftSettings: settings, linkerSettings: hardened),
  ],
  swiftLanguageModes: [.v6]
)
