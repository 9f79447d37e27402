// swift-tools-version: 6.2
import PackageDescription

// Everything here is an outside user of the library: a package of its own, so that the compiler proves that
// apps and guides stand on public API alone.

// SwiftPM tells packages apart by the names of their folders, and would take the library for this one.
if Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased() == "apps" {
  fatalError("SwiftPM cannot tell the clone from its folder Apps. Rename the clone.")
}

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Full RELRO, as the programs of the library have it.
let hardened: [LinkerSetting] = [
  .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
]

/// Names that begin with "Reunion" are products of the library, all others are targets of this package.
func uses(_ names: [String]) -> [Target.Dependency] {
  names.map {
    $0.hasPrefix("Reunion") ? .product(name: $0, package: "reunion") : .byName(name: $0)
  }
}

/// The plugin that makes Swift of a model.
let model: Target.PluginUsage = .plugin(name: "GenerateModel", package: "reunion")

/// A part of an app, in its `Sources`.
func part(_ app: String, _ name: String, _ names: [String] = [], model: Target.PluginUsage? = nil)
  -> Target
{
  .target(
    name: name, dependencies: uses(names), path: "\(app)/Sources/\(name)", swiftSettings: settings,
    plugins: model.map { [$0] })
}

/// A program of an app, in its `Sources`.
func program(
  _ app: String, _ name: String, _ names: [String], in folder: String? = nil,
  model: Target.PluginUsage? = nil
) -> Target {
  .executableTarget(
    name: name, dependencies: uses(names), path: "\(app)/Sources/\(folder ?? name)",
    swiftSettings: settings, linkerSettings: hardened, plugins: model.map { [$0] })
}

/// Tests are compiled as they stand, unless they compute much by themselves.
func tests(
  _ name: String, _ names: [String], in folder: String, except: [String] = [],
  computing: Bool = false
) -> Target {
  .testTarget(
    name: name, dependencies: uses(names), path: folder, exclude: except,
    swiftSettings: settings + (computing ? [] : [.unsafeFlags(["-Onone"])]))
}

/// The programs that the pages of `docs` show, by their folders.
let guides: [(name: String, folder: String, uses: [String])] = [
  ("notes-example", "Notes", ["Reunion"]),
  ("getting-started-example", "GettingStarted", ["Reunion"]),
  ("sync-example", "Sync", ["Reunion"]),
  ("offline-example", "Offline", ["ReunionStore"]),
  ("data-example", "Data", ["Reunion"]),
  ("own-space-example", "OwnSpace", ["Reunion"]),
  ("queries-example", "Queries", ["Reunion"]),
  ("evolution-example", "Evolution", ["Reunion"]),
  ("machines-example", "Machines", ["ReunionFlow"]),
  ("settings-example", "Settings", ["Reunion"]),
  ("one-source-of-truth-example", "OneSourceOfTruth", ["ReunionFlow"]),
  ("hostile-world-example", "HostileWorld", ["Reunion", "ReunionTesting"]),
  ("bluetooth-example", "Bluetooth", ["ReunionBluetooth", "ReunionFlow"]),
  ("nearby-example", "Nearby", ["Reunion", "ReunionBluetooth", "ReunionNearby"]),
  ("feeds-example", "Feeds", ["ReunionFeeds"]),
  ("sql-example", "SQL", ["Reunion", "ReunionTools"]),
  ("images-example", "Images", ["ReunionMedia"]),
  ("barcodes-example", "Barcodes", ["ReunionMedia"]),
  ("keys-example", "Keys", ["ReunionKeys", "ReunionCore"]),
  ("models-example", "Models", ["Reunion"]),
  ("server-example", "Server", ["ReunionServer", "Reunion"]),
]

/// What the build makes for a guide.
let guidePlugins: [String: Target.PluginUsage] = [
  "Keys": .plugin(name: "ObfuscateKeys", package: "reunion"), "Models": model,
]

let package = Package(
  name: "apps",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reunion", path: "..")],
  targets: [
    // How guests come in, which most apps share.
    .target(
      name: "Entrance", dependencies: uses(["ReunionServer", "ReunionMedia", "ReunionFlow"]),
      path: "Shared/Entrance", swiftSettings: settings),
    tests("EntranceTests", ["Entrance", "ReunionServer"], in: "Shared/Tests"),

    // A live shared photo album.
    program(
      "Albums", "Albums", ["Entrance", "Reunion", "ReunionCore", "ReunionServer", "ReunionMedia"],
      model: model),
    tests("AlbumTests", ["Albums", "Reunion", "ReunionCore"], in: "Albums/Tests"),

    // A live map of earthquakes.
    program(
      "Quakes", "Quakes", ["Reunion", "ReunionCore", "ReunionServer", "ReunionFeeds"], model: model),
    tests("QuakeTests", ["Quakes"], in: "Quakes/Tests"),

    // A Sudoku book on all of a person's devices.
    part("Sudoku", "SudokuCore"),
    part("Sudoku", "SudokuGrab", ["SudokuCore"]),
    program("Sudoku", "SudokuBench", ["SudokuGrab", "SudokuCore"]),
    program(
      "Sudoku", "Sudoku",
      [
        "Entrance", "SudokuGrab", "SudokuCore", "Reunion", "ReunionCore", "ReunionServer",
        "ReunionMedia",
      ], model: model),
    tests("SudokuTests", ["SudokuGrab", "SudokuCore"], in: "Sudoku/Tests", computing: true),

    // A race for words.
    part("Words", "WordsCore"),
    part("Words", "WordsUmpire", ["WordsCore", "Reunion"], model: model),
    program("Words", "WordsBench", ["WordsUmpire", "WordsCore", "Reunion"], model: model),
    program("Words", "Words", ["Entrance", "WordsUmpire", "Reunion", "ReunionServer"]),
    tests("WordsTests", ["WordsCore"], in: "Words/Tests/Core"),
    tests(
      "WordsUmpireTests",
      ["WordsUmpire", "WordsCore", "ReunionServer", "Reunion", "ReunionStore", "ReunionFlow"],
      in: "Words/Tests/Umpire"),

    // A family's screen time.
    part("ScreenTime", "ScreenTimeCore"),
    part(
      "ScreenTime", "ScreenTimeBook", ["ScreenTimeCore", "Reunion", "ReunionCore"], model: model),
    // What an X server says of the focus and of the last input.
    .target(
      name: "CXScreen", path: "ScreenTime/Sources/CXScreen",
      linkerSettings: ["xcb", "xcb-screensaver", "xcb-ewmh"].map { .linkedLibrary($0) }),
    part(
      "ScreenTime", "ScreenTimeDesktop",
      [
        "ScreenTimeBook", "ScreenTimeCore", "CXScreen", "Reunion", "ReunionDesktop", "ReunionCore",
      ]),
    program("ScreenTime", "screentime-agent", ["ScreenTimeDesktop"], in: "ScreenTimeAgent"),
    program(
      "ScreenTime", "ScreenTime", ["Entrance", "ScreenTimeBook", "Reunion", "ReunionServer"]),
    tests(
      "ScreenTimeTests", ["ScreenTimeCore", "ReunionTesting"], in: "ScreenTime/Tests/Core",
      computing: true),
    tests(
      "ScreenTimeDesktopTests",
      [
        "ScreenTime", "screentime-agent", "ScreenTimeDesktop", "ScreenTimeBook", "ScreenTimeCore",
        "ReunionServer", "Reunion", "ReunionStore", "ReunionDesktop", "ReunionFlow",
      ], in: "ScreenTime/Tests/Desktop"),

    // What the pages show runs, and prints what they say.
    .testTarget(
      name: "testing-example", dependencies: uses(["Reunion", "ReunionTesting"]),
      path: "Guides/Testing", swiftSettings: settings),
    tests("GuideTests", guides.map(\.name), in: "Guides/Tests", except: ["Documentation"]),
  ]
    + guides.map { guide in
      .executableTarget(
        name: guide.name, dependencies: uses(guide.uses), path: "Guides/\(guide.folder)",
        swiftSettings: settings, plugins: guidePlugins[guide.folder].map { [$0] })
    },
  swiftLanguageModes: [.v6]
)
