// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A Swift target of ours, with the settings that all of them share.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// Tests are compiled as they stand, beside a library that is optimised: half of their build was that. A flag that
/// SwiftPM calls unsafe keeps nobody from using a library, since no product holds a test.
let unoptimised: [SwiftSetting] = [.unsafeFlags(["-Onone"])]

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestThreads", "Waiting"],
    swiftSettings: settings + unoptimised)
}

/// A program's addresses are all found before it begins, and then nobody can write over them (full RELRO).
/// Only programs have it: a flag that SwiftPM calls unsafe would keep others from using a library.
let hardened: [LinkerSetting] = [
  .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
]

let package = Package(
  name: "reunion",
  // What Atomic needs. It was never compiled there: docs/platforms.md.
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ReunionCore", targets: ["ReunionCore"]),
    .library(name: "ReunionFlow", targets: ["ReunionFlow"]),
    .library(name: "Reunion", targets: ["Reunion"]),
    .library(name: "ReunionStore", targets: ["ReunionStore"]),
    .library(name: "ReunionTools", targets: ["ReunionTools"]),
    .library(name: "ReunionServer", targets: ["ReunionServer"]),
    .library(name: "ReunionMedia", targets: ["ReunionMedia"]),
    .library(name: "ReunionFeeds", targets: ["ReunionFeeds"]),
    .library(name: "ReunionBluetooth", targets: ["ReunionBluetooth"]),
    .library(name: "ReunionNearby", targets: ["ReunionNearby"]),
    .library(name: "ReunionDesktop", targets: ["ReunionDesktop"]),
    .library(name: "ReunionKeys", targets: ["ReunionKeys"]),
    .plugin(name: "ObfuscateKeys", targets: ["ObfuscateKeys"]),
    .plugin(name: "GenerateModel", targets: ["GenerateModel"]),
    .library(name: "ReunionTesting", targets: ["ReunionTesting"]),
    .library(name: "ReunionCommandLine", targets: ["ReunionCommandLine"]),
    .executable(name: "reunion", targets: ["ReunionCLI"]),
    .executable(name: "reunion-serve", targets: ["ReunionServe"]),
    .executable(name: "reunion-bluetooth", targets: ["ReunionBluetoothCommand"]),
  ],
  targets: [
    library("ReunionCore"),
    library("ReunionFlow"),
    library("ReunionDisk", ["ReunionCore", "ReunionFlow", "CSQLite"]),
    library("ReunionStore", ["ReunionDisk", "ReunionCore", "ReunionFlow", "CSQLite", "CDeflate"]),
    library("ReunionTools", ["ReunionStore", "ReunionDisk", "ReunionCore", "CSQLite"]),
    library("ReunionSync", ["ReunionStore", "ReunionFlow", "ReunionCore"]),
    library("ReunionSockets", ["ReunionSync", "ReunionFlow", "ReunionCore", "CWebSockets"]),
    library(
      "Reunion",
      [
        "ReunionSync", "ReunionStore", "ReunionDisk", "ReunionFlow", "ReunionCore",
        .target(name: "ReunionSockets", condition: .when(platforms: [.linux])),
      ]),
    library(
      "ReunionServer",
      [
        "ReunionCommandLine", "ReunionSockets", "ReunionSync", "ReunionStore", "ReunionFlow",
        "ReunionCore",
        "CWebSockets", "CCrypto", "CScheduling",
      ]),
    library("ReunionMedia", ["ReunionCore", "CVips", "CBarcodes", "CSandbox", "CScheduling"]),
    library("ReunionFeeds", ["ReunionCore", "CXML"]),

    library(
      "ReunionBluetooth",
      [
        "ReunionFlow", "ReunionCore", "CCrypto",
        .target(name: "ReunionDesktop", condition: .when(platforms: [.linux])),
      ]),
    .executableTarget(
      name: "ReunionBluetoothCommand",
      dependencies: [
        "ReunionBluetooth", "ReunionNearby", "Reunion", "ReunionFlow", "ReunionCore",
        "ReunionCommandLine",
      ],
      path: "Commands/reunion-bluetooth", swiftSettings: settings, linkerSettings: hardened),
    // The desktop by D-Bus, for Linux alone.
    library("ReunionDesktop", ["ReunionFlow", "CSystemBus"]),
    library(
      "ReunionNearby",
      [
        "Reunion", "ReunionBluetooth", "ReunionSync", "ReunionStore", "ReunionDisk", "ReunionFlow",
        "ReunionCore", "CCrypto",
      ]),
    library(
      "ReunionTesting",
      ["Reunion", "ReunionSync", "ReunionStore", "ReunionDisk", "ReunionFlow", "ReunionCore"]),
    .executableTarget(
      name: "ReunionCLI",
      dependencies: [
        "Reunion", "ReunionTools", "ReunionMedia", "ReunionFeeds", "ReunionKeys", "ReunionModel",
        "ReunionCore", "ReunionCommandLine",
      ],
      path: "Commands/reunion", swiftSettings: settings, linkerSettings: hardened),
    library("ReunionCommandLine", ["ReunionCore"]),

    .executableTarget(
      name: "ReunionServe", dependencies: ["ReunionServer"], path: "Commands/reunion-serve",
      swiftSettings: settings,
      linkerSettings: hardened),

    // Keys that are masked in programs, and the build plugin that masks them.
    .target(name: "CKeys", path: "C/CKeys"),
    library("ReunionKeys", ["CKeys"]),
    .executableTarget(
      name: "obfuscate-keys", dependencies: ["ReunionKeys"], path: "Commands/obfuscate-keys",
      swiftSettings: settings),
    .plugin(name: "ObfuscateKeys", capability: .buildTool(), dependencies: ["obfuscate-keys"]),

    // Models in files, and the build plugin that makes Swift of them.
    library("ReunionModel", ["ReunionCore"]),
    .executableTarget(
      name: "generate-model", dependencies: ["ReunionModel"], path: "Commands/generate-model",
      swiftSettings: settings),
    .plugin(name: "GenerateModel", capability: .buildTool(), dependencies: ["generate-model"]),
    tests("ReunionModelTests", ["ReunionModel", "ReunionStore"]),

    // C libraries, each behind one header.
    .target(name: "CSQLite", path: "C/CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(
      name: "CWebSockets", path: "C/CWebSockets", pkgConfig: "libwebsockets",
      providers: [.apt(["libwebsockets-dev", "libwebsockets-evlib-uv"])]),
    .systemLibrary(
      name: "CDeflate", path: "C/CDeflate", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CCrypto", path: "C/CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CVipsLibrary", path: "C/CVipsLibrary", pkgConfig: "vips",
      providers: [.apt(["libvips-dev"])]),
    .target(name: "CVips", dependencies: ["CVipsLibrary"], path: "C/CVips"),
    .systemLibrary(
      name: "CSeccompLibrary", path: "C/CSeccompLibrary", pkgConfig: "libseccomp",
      providers: [.apt(["libseccomp-dev"])]),
    .target(
      name: "CSandbox",
      dependencies: [.target(name: "CSeccompLibrary", condition: .when(platforms: [.linux]))],
      path: "C/CSandbox"),
    .target(name: "CScheduling", path: "C/CScheduling"),
    .systemLibrary(
      name: "CBarcodesLibrary", path: "C/CBarcodesLibrary", pkgConfig: "zxing",
      providers: [.apt(["libzxing-dev"])]),
    .target(name: "CBarcodes", dependencies: ["CBarcodesLibrary"], path: "C/CBarcodes"),

    .systemLibrary(
      name: "CSystemBus", path: "C/CSystemBus", pkgConfig: "libsystemd",
      providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CXML", path: "C/CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),

    // Test support: a program for the image worker to live in, and an encoder of test pictures.
    .executableTarget(
      name: "reunion-image-worker-fixture",
      dependencies: ["ReunionMedia", "ReunionCore", "CHostileDecoder"],
      path: "Tests/Fixtures/ImageWorkerFixture", swiftSettings: settings),
    .target(
      name: "CPictures", dependencies: ["CVipsLibrary"], path: "Tests/Fixtures/CPictures"),
    .target(
      name: "CHostileDecoder", dependencies: ["CVipsLibrary"],
      path: "Tests/Fixtures/CHostileDecoder"),

    tests("ReunionCoreTests", ["ReunionCore"]),
    tests("ReunionFlowTests", ["ReunionFlow"]),
    tests("ReunionBluetoothTests", ["ReunionBluetooth", "ReunionFlow", "ReunionCore"]),
    tests("ReunionDesktopTests", ["ReunionDesktop", "ReunionFlow", "PrivateBus"]),
    tests(
      "BlueZTests",
      [
        "ReunionBluetooth", "ReunionBluetoothCommand", "ReunionDesktop", "Reunion", "ReunionFlow",
        "ReunionCore", "PrivateBus",
      ]),
    .target(
      name: "TestThreads", path: "Tests/Fixtures/TestThreads", swiftSettings: settings),
    .target(name: "Waiting", path: "Tests/Fixtures/Waiting", swiftSettings: settings),
    .target(
      name: "PrivateBus", dependencies: ["ReunionDesktop", "ReunionFlow"],
      path: "Tests/Fixtures/PrivateBus", swiftSettings: settings),
    .executableTarget(
      name: "bluetooth-lane",
      dependencies: [
        "ReunionBluetooth", "ReunionDesktop", "Reunion", "ReunionTools", "ReunionFlow",
        "ReunionCore", "Waiting",
      ],
      path: "Tests/Fixtures/BluetoothLane", exclude: ["bleak_central.py"], swiftSettings: settings),
    tests(
      "ReunionNearbyTests",
      [
        "ReunionNearby", "ReunionBluetooth", "Reunion", "ReunionTesting", "ReunionSync",
        "ReunionStore", "ReunionDisk", "ReunionFlow", "ReunionCore",
      ]),
    tests(
      "ReunionStoreTests",
      [
        "ReunionStore", "ReunionTools", "ReunionDisk", "ReunionFlow", "ReunionCore", "StoreWriter",
        "NodeBrowsers",
      ]),
    .executableTarget(
      name: "StoreWriter", dependencies: ["ReunionStore", "ReunionCore"],
      path: "Tests/Fixtures/StoreWriter", swiftSettings: settings),
    tests(
      "ReunionSyncTests",
      ["ReunionSync", "ReunionStore", "ReunionTesting", "ReunionFlow", "ReunionCore"]),
    tests(
      "ReunionServerTests",
      [
        "ReunionServer", "ReunionCommandLine", "Reunion", "ReunionSockets", "ReunionSync",
        "ReunionStore", "ReunionFlow",
        "ReunionCore", "Tenants",
      ]),
    tests(
      "ReunionMediaTests",
      ["ReunionMedia", "ReunionCore", "CPictures", "reunion-image-worker-fixture"]),
    tests("ReunionKeysTests", ["ReunionKeys"]),
    tests("ReunionFeedsTests", ["ReunionFeeds", "FeedServer", "feed-memory-fixture"]),
    tests(
      "ReunionCLITests",
      [
        "ReunionCLI", "ReunionServe", "ReunionTools", "ReunionStore", "ReunionCore", "FeedServer",
      ]),
    .target(
      name: "FeedServer", path: "Tests/Fixtures/FeedServer", swiftSettings: settings),
    .executableTarget(
      name: "feed-memory-fixture", dependencies: ["ReunionFeeds"],
      path: "Tests/Fixtures/FeedMemory", swiftSettings: settings),
    .executableTarget(
      name: "simulate",
      dependencies: ["ReunionTesting", "ReunionCore", "NodeBrowsers", "Tenants"],
      path: "Tests/Fixtures/Simulate", swiftSettings: settings),
    // A server of several spaces with an attacker in it, for the tests and for simulate.
    .target(
      name: "Tenants",
      dependencies: [
        "ReunionServer", "ReunionTesting", "Reunion", "ReunionSync", "ReunionStore", "ReunionFlow",
        "ReunionCore",
      ],
      path: "Tests/Fixtures/Tenants", swiftSettings: settings),
    .target(
      name: "NodeBrowsers", dependencies: ["ReunionTesting", "ReunionFlow"],
      path: "Tests/Fixtures/Browsers", swiftSettings: settings),
    tests(
      "SimulationTests",
      [
        "ReunionTesting", "ReunionServer", "ReunionTools", "Reunion", "ReunionSync", "ReunionStore",
        "ReunionFlow", "ReunionCore",
        "NodeBrowsers",
      ]),
    tests(
      "ReunionTests", ["Reunion", "ReunionStore", "ReunionFlow", "ReunionCore", "FeedServer"]),
    tests(
      "FaultTests",
      [
        "ReunionTesting", "Reunion", "ReunionServer", "ReunionSync", "ReunionTools", "ReunionStore",
        "ReunionDisk",
        "ReunionFlow", "ReunionCore", "ReunionMedia", "ReunionFeeds", "CPictures",
        "reunion-image-worker-fixture",
        "AllocationFaults", "CSQLite",
      ]),
    .executableTarget(
      name: "AllocationFaults",
      dependencies: ["ReunionTesting", "ReunionStore", "ReunionCore", "CSQLite"],
      path: "Tests/Fixtures/AllocationFaults", swiftSettings: settings),
    tests("TidyTests", ["ReunionCLI"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx20
)
