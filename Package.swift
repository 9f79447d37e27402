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

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestThreads"], swiftSettings: settings)
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
    .library(name: "ReunionEntrance", targets: ["ReunionEntrance"]),
    .library(name: "ReunionMedia", targets: ["ReunionMedia"]),
    .library(name: "ReunionFeeds", targets: ["ReunionFeeds"]),
    .library(name: "ReunionBluetooth", targets: ["ReunionBluetooth"]),
    .library(name: "ReunionBluetoothLink", targets: ["ReunionBluetoothLink"]),
    .library(name: "ReunionDesktop", targets: ["ReunionDesktop"]),
    .library(name: "ReunionKeys", targets: ["ReunionKeys"]),
    .plugin(name: "ObfuscateKeys", targets: ["ObfuscateKeys"]),
    .plugin(name: "GenerateModel", targets: ["GenerateModel"]),
    .library(name: "ReunionTesting", targets: ["ReunionTesting"]),
    .executable(name: "reunion", targets: ["ReunionCLI"]),
    .executable(name: "reunion-serve", targets: ["ReunionServe"]),
    .executable(name: "reunion-changelog", targets: ["ReunionChangelogCommand"]),
    .executable(name: "reunion-bluetooth", targets: ["ReunionBluetoothCommand"]),
  ],
  targets: [
    library("ReunionCore"),
    library("ReunionFlow"),
    library("ReunionDisk", ["ReunionCore", "ReunionFlow", "CSQLite"]),
    library("ReunionStore", ["ReunionDisk", "ReunionCore", "ReunionFlow", "CSQLite"]),
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
        "Reunion", "ReunionSockets", "ReunionSync", "ReunionStore", "ReunionFlow", "ReunionCore",
        "CWebSockets", "CCrypto",
      ]),
    library("ReunionMedia", ["ReunionCore", "CVips", "CBarcodes", "CSandbox"]),
    library("ReunionEntrance", ["ReunionServer", "ReunionMedia", "ReunionFlow"]),
    library("ReunionFeeds", ["ReunionCore", "CXML"]),

    // Ordered changes of a server's database, and their program.
    library("ReunionChangelog", ["CSQLite", "CXML", "CYAML"]),
    .executableTarget(
      name: "ReunionChangelogCommand",
      dependencies: [
        "ReunionChangelog", "ReunionChangelogPostgres", "ReunionCommandLine",
      ],
      swiftSettings: settings, linkerSettings: hardened),
    // Only the program of changelogs uses it, so that nothing else links libpq.
    library("ReunionChangelogPostgres", ["ReunionChangelog", "CPostgres"]),
    library(
      "ReunionBluetooth",
      [
        "ReunionFlow", "ReunionCore", "CCrypto",
        .target(name: "ReunionDBus", condition: .when(platforms: [.linux])),
      ]),
    .executableTarget(
      name: "ReunionBluetoothCommand",
      dependencies: [
        "ReunionBluetooth", "ReunionBluetoothLink", "Reunion", "ReunionFlow", "ReunionCore",
        "ReunionCommandLine",
      ],
      swiftSettings: settings, linkerSettings: hardened),
    // For Linux alone.
    library("ReunionDBus", ["ReunionFlow", "CSystemBus"]),
    library("ReunionDesktop", ["ReunionDBus", "ReunionFlow"]),
    library(
      "ReunionBluetoothLink",
      [
        "Reunion", "ReunionBluetooth", "ReunionSync", "ReunionStore", "ReunionDisk", "ReunionFlow",
        "ReunionCore", "CCrypto",
      ]),
    library(
      "ReunionTesting",
      ["Reunion", "ReunionSync", "ReunionStore", "ReunionDisk", "ReunionFlow", "ReunionCore"]),
    .executableTarget(
      name: "notes-example", dependencies: ["Reunion"], path: "Examples/Notes",
      swiftSettings: settings),
    .executableTarget(
      name: "getting-started-example", dependencies: ["Reunion"], path: "Examples/GettingStarted",
      swiftSettings: settings),
    .executableTarget(
      name: "sync-example", dependencies: ["Reunion"], path: "Examples/Sync",
      swiftSettings: settings),
    .executableTarget(
      name: "offline-example", dependencies: ["ReunionStore"], path: "Examples/Offline",
      swiftSettings: settings),
    .executableTarget(
      name: "data-example", dependencies: ["Reunion"], path: "Examples/Data",
      swiftSettings: settings),
    .executableTarget(
      name: "own-space-example", dependencies: ["Reunion"], path: "Examples/OwnSpace",
      swiftSettings: settings),
    .executableTarget(
      name: "queries-example", dependencies: ["Reunion"], path: "Examples/Queries",
      swiftSettings: settings),
    .executableTarget(
      name: "evolution-example", dependencies: ["Reunion"], path: "Examples/Evolution",
      swiftSettings: settings),
    .executableTarget(
      name: "machines-example", dependencies: ["ReunionFlow"], path: "Examples/Machines",
      swiftSettings: settings),
    .testTarget(
      name: "testing-example", dependencies: ["Reunion", "ReunionTesting"],
      path: "Examples/Testing", swiftSettings: settings),
    .executableTarget(
      name: "settings-example", dependencies: ["Reunion"], path: "Examples/Settings",
      swiftSettings: settings),
    .executableTarget(
      name: "one-source-of-truth-example", dependencies: ["ReunionFlow"],
      path: "Examples/OneSourceOfTruth", swiftSettings: settings),
    .executableTarget(
      name: "hostile-world-example", dependencies: ["Reunion", "ReunionTesting"],
      path: "Examples/HostileWorld", swiftSettings: settings),
    .executableTarget(
      name: "bluetooth-example", dependencies: ["ReunionBluetooth", "ReunionFlow"],
      path: "Examples/Bluetooth",
      swiftSettings: settings),
    .executableTarget(
      name: "nearby-example",
      dependencies: ["Reunion", "ReunionBluetooth", "ReunionBluetoothLink"],
      path: "Examples/Nearby", swiftSettings: settings),
    .executableTarget(
      name: "feeds-example", dependencies: ["ReunionFeeds"], path: "Examples/Feeds",
      swiftSettings: settings),
    .executableTarget(
      name: "sql-example", dependencies: ["Reunion", "ReunionTools"], path: "Examples/SQL",
      swiftSettings: settings),
    .executableTarget(
      name: "images-example", dependencies: ["ReunionMedia"],
      path: "Examples/Images", swiftSettings: settings),
    .executableTarget(
      name: "barcodes-example", dependencies: ["ReunionMedia"], path: "Examples/Barcodes",
      swiftSettings: settings),
    .executableTarget(
      name: "keys-example", dependencies: ["ReunionKeys", "ReunionCore"], path: "Examples/Keys",
      swiftSettings: settings, plugins: ["ObfuscateKeys"]),
    .executableTarget(
      name: "models-example", dependencies: ["Reunion"], path: "Examples/Models",
      swiftSettings: settings, plugins: ["GenerateModel"]),
    .executableTarget(
      name: "ReunionCLI",
      dependencies: [
        "Reunion", "ReunionTools", "ReunionMedia", "ReunionFeeds", "ReunionKeys", "ReunionModel",
        "ReunionCore", "ReunionCommandLine",
      ],
      swiftSettings: settings, linkerSettings: hardened),
    library("ReunionCommandLine"),

    .executableTarget(
      name: "server-example", dependencies: ["ReunionServer", "Reunion"], path: "Examples/Server",
      swiftSettings: settings),
    .executableTarget(
      name: "ReunionServe", dependencies: ["ReunionServer"], swiftSettings: settings,
      linkerSettings: hardened),

    // Keys that are masked in programs, and the build plugin that masks them.
    .target(name: "CKeys"),
    library("ReunionKeys", ["CKeys"]),
    .executableTarget(
      name: "obfuscate-keys", dependencies: ["ReunionKeys"], path: "Sources/ObfuscateKeys",
      swiftSettings: settings),
    .plugin(name: "ObfuscateKeys", capability: .buildTool(), dependencies: ["obfuscate-keys"]),

    // Models in files, and the build plugin that makes Swift of them.
    library("ReunionModel", ["ReunionCore"]),
    .executableTarget(
      name: "generate-model", dependencies: ["ReunionModel"], path: "Sources/GenerateModel",
      swiftSettings: settings),
    .plugin(name: "GenerateModel", capability: .buildTool(), dependencies: ["generate-model"]),
    tests("ReunionModelTests", ["ReunionModel", "ReunionStore"]),

    // C libraries, each behind one header.
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(
      name: "CWebSockets", pkgConfig: "libwebsockets",
      providers: [.apt(["libwebsockets-dev", "libwebsockets-evlib-uv"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CVipsLibrary", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
    .target(name: "CVips", dependencies: ["CVipsLibrary"]),
    .systemLibrary(
      name: "CSeccompLibrary", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .target(
      name: "CSandbox",
      dependencies: [.target(name: "CSeccompLibrary", condition: .when(platforms: [.linux]))]),
    .systemLibrary(
      name: "CBarcodesLibrary", pkgConfig: "zxing", providers: [.apt(["libzxing-dev"])]),
    .target(name: "CBarcodes", dependencies: ["CBarcodesLibrary"]),

    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
      name: "CSystemBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),

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

    // What the album reads of paths, for the tests: the app itself is a package of its own.
    .target(
      name: "AlbumPaths", dependencies: ["Reunion", "ReunionCore"],
      path: "Apps/Albums/Sources/Albums/Paths",
      swiftSettings: settings),
    tests("AlbumTests", ["AlbumPaths", "Reunion"]),

    // What the map of earthquakes knows of a feed's span, likewise.
    .target(
      name: "QuakeReach", path: "Apps/Quakes/Sources/Quakes/Reach", swiftSettings: settings),
    tests("QuakeTests", ["QuakeReach"]),

    // What the Sudoku book computes, for the tests: it, too, is a package of its own.
    .target(
      name: "SudokuCore", path: "Apps/Sudoku/Sources/SudokuCore", swiftSettings: settings),
    .target(
      name: "SudokuGrab", dependencies: ["SudokuCore"], path: "Apps/Sudoku/Sources/SudokuGrab",
      swiftSettings: settings),
    tests("SudokuTests", ["SudokuGrab", "SudokuCore"]),

    // So is the word race.
    .target(name: "WordsCore", path: "Apps/Words/Sources/WordsCore", swiftSettings: settings),
    tests("WordsTests", ["WordsCore"]),
    .target(
      name: "WordsUmpire", dependencies: ["WordsCore", "Reunion"],
      path: "Apps/Words/Sources/WordsUmpire", swiftSettings: settings, plugins: ["GenerateModel"]),
    tests(
      "WordsUmpireTests",
      ["WordsUmpire", "WordsCore", "ReunionServer", "Reunion", "ReunionStore", "ReunionFlow"]),

    // What the screen time of a family is made of, for the tests.
    .target(
      name: "ScreenTimeCore", path: "Apps/ScreenTime/Sources/ScreenTimeCore",
      swiftSettings: settings),
    tests("ScreenTimeTests", ["ScreenTimeCore", "ReunionTesting"]),
    .target(
      name: "CDesk", path: "Apps/ScreenTime/Sources/CDesk",
      linkerSettings: ["xcb", "xcb-screensaver", "xcb-ewmh"].map { .linkedLibrary($0) }),
    .target(
      name: "ScreenTimeBook", dependencies: ["ScreenTimeCore", "Reunion", "ReunionCore"],
      path: "Apps/ScreenTime/Sources/ScreenTimeBook", swiftSettings: settings,
      plugins: ["GenerateModel"]),
    .target(
      name: "ScreenTimeDesk",
      dependencies: [
        "ScreenTimeBook", "ScreenTimeCore", "CDesk", "Reunion", "ReunionDesktop", "ReunionCore",
      ],
      path: "Apps/ScreenTime/Sources/ScreenTimeDesk", swiftSettings: settings),
    .executableTarget(
      name: "screentime-agent", dependencies: ["ScreenTimeDesk"],
      path: "Apps/ScreenTime/Sources/ScreenTimeAgent", swiftSettings: settings,
      linkerSettings: hardened),
    .executableTarget(
      name: "ScreenTime",
      dependencies: ["ScreenTimeBook", "Reunion", "ReunionServer", "ReunionEntrance"],
      path: "Apps/ScreenTime/Sources/ScreenTime", swiftSettings: settings,
      linkerSettings: hardened),
    tests(
      "ScreenTimeDeskTests",
      [
        "ScreenTime", "screentime-agent", "ScreenTimeDesk", "ScreenTimeBook", "ScreenTimeCore",
        "ReunionServer",
        "Reunion", "ReunionStore", "ReunionDBus", "ReunionFlow", "PrivateBus",
      ]),

    tests("ReunionCoreTests", ["ReunionCore"]),
    tests("ReunionFlowTests", ["ReunionFlow"]),
    tests("ReunionBluetoothTests", ["ReunionBluetooth", "ReunionFlow", "ReunionCore"]),
    tests("ReunionDBusTests", ["ReunionDBus", "ReunionFlow", "PrivateBus"]),
    tests(
      "BlueZTests",
      [
        "ReunionBluetooth", "ReunionBluetoothCommand", "ReunionDBus", "Reunion", "ReunionFlow",
        "ReunionCore", "PrivateBus",
      ]),
    .target(
      name: "TestThreads", path: "Tests/Fixtures/TestThreads", swiftSettings: settings),
    .target(
      name: "PrivateBus", dependencies: ["ReunionDBus", "ReunionFlow"],
      path: "Tests/Fixtures/PrivateBus", swiftSettings: settings),
    .executableTarget(
      name: "bluetooth-lane",
      dependencies: [
        "ReunionBluetooth", "ReunionDBus", "Reunion", "ReunionTools", "ReunionFlow", "ReunionCore",
      ],
      path: "Tests/Fixtures/BluetoothLane", exclude: ["bleak_central.py"], swiftSettings: settings),
    tests(
      "ReunionBluetoothLinkTests",
      [
        "ReunionBluetoothLink", "ReunionBluetooth", "Reunion", "ReunionTesting", "ReunionSync",
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
        "ReunionServer", "Reunion", "ReunionSockets", "ReunionSync", "ReunionStore", "ReunionFlow",
        "ReunionCore", "getting-started-example", "Tenants",
      ]),
    tests(
      "ReunionMediaTests",
      ["ReunionMedia", "ReunionCore", "CPictures", "reunion-image-worker-fixture"]),
    tests("ReunionEntranceTests", ["ReunionEntrance", "ReunionServer"]),
    tests("ReunionKeysTests", ["ReunionKeys"]),
    tests("ReunionFeedsTests", ["ReunionFeeds", "FeedServer", "feed-memory-fixture"]),
    tests(
      "ReunionCLITests",
      [
        "ReunionCLI", "ReunionServe", "ReunionTools", "ReunionStore", "ReunionCore", "FeedServer",
        "sync-example", "own-space-example",
      ]),
    .target(
      name: "FeedServer", path: "Tests/Fixtures/FeedServer", swiftSettings: settings),
    tests(
      "ReunionChangelogTests",
      ["ReunionChangelog", "ReunionChangelogCommand", "ChangelogSamples", "changelog-bugs"]),
    tests(
      "ReunionChangelogPostgresTests",
      [
        "ReunionChangelogPostgres", "ReunionChangelog", "ReunionChangelogCommand",
        "ChangelogSamples", "changelog-bugs",
      ]),
    tests("ChangelogYardstickTests", ["ReunionChangelog", "ChangelogSamples"]),
    .executableTarget(
      name: "changelog-bugs", dependencies: ["ReunionChangelog", "ReunionChangelogPostgres"],
      path: "Tests/Fixtures/ChangelogBugs", swiftSettings: settings),
    .target(
      name: "ChangelogSamples", path: "Tests/Fixtures/ChangelogSamples", swiftSettings: settings),
    .executableTarget(
      name: "changelog-samples", dependencies: ["ChangelogSamples"],
      path: "Tests/Fixtures/ChangelogSampleWriter", swiftSettings: settings),
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
        "AllocationFaults", "AlbumPaths", "CSQLite",
      ]),
    .executableTarget(
      name: "AllocationFaults",
      dependencies: ["ReunionTesting", "ReunionStore", "ReunionCore", "CSQLite"],
      path: "Tests/Fixtures/AllocationFaults", swiftSettings: settings),
    tests(
      "TidyTests",
      [
        "notes-example", "data-example", "settings-example", "sql-example",
        "one-source-of-truth-example", "images-example", "feeds-example", "barcodes-example",
        "keys-example", "hostile-world-example", "server-example", "queries-example",
        "evolution-example", "machines-example", "models-example", "nearby-example",
        "bluetooth-example", "ReunionCLI",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx20
)
