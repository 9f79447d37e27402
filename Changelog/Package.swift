// swift-tools-version: 6.2
import PackageDescription

// SwiftPM tells packages apart by the names of their folders, and would take the library for this one.
if Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased() == "changelog" {
  fatalError("SwiftPM cannot tell the clone from its folder Changelog. Rename the clone.")
}

// Ordered changes of a server's database, and their program. Nothing of Reunion is used but the way in which a
// command reads its words, and nothing of Reunion uses it.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
/// Tests: half of their build was their optimisation.
let unoptimised = settings + [.unsafeFlags(["-Onone"])]

let package = Package(
  name: "changelog",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "reunion-changelog", targets: ["ReunionChangelogCommand"])],
  dependencies: [.package(name: "reunion", path: "..")],
  targets: [
    .target(
      name: "ReunionChangelog", dependencies: ["CChangelogSQLite", "CChangelogXML", "CYAML"],
      swiftSettings: settings),
    // Apart, so that nothing else links libpq.
    .target(
      name: "ReunionChangelogPostgres", dependencies: ["ReunionChangelog", "CPostgres"],
      swiftSettings: settings),
    .executableTarget(
      name: "ReunionChangelogCommand",
      dependencies: [
        "ReunionChangelog", "ReunionChangelogPostgres",
        .product(name: "ReunionCommandLine", package: "reunion"),
      ],
      path: "Commands/reunion-changelog", swiftSettings: settings,
      // Full RELRO, as the programs of the library have it.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
      ]),

    // C libraries, each behind one header. Two packages of one build have no two targets of one name.
    .systemLibrary(
      name: "CChangelogSQLite", path: "C/CChangelogSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CChangelogXML", path: "C/CChangelogXML", pkgConfig: "libxml-2.0",
      providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(
      name: "CYAML", path: "C/CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(
      name: "CPostgres", path: "C/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

    // Samples of changelogs, and databases that do not do what updates rely on.
    .target(
      name: "ChangelogSamples", path: "Tests/Fixtures/ChangelogSamples", swiftSettings: settings),
    .executableTarget(
      name: "changelog-samples", dependencies: ["ChangelogSamples"],
      path: "Tests/Fixtures/ChangelogSampleWriter", swiftSettings: settings),
    .executableTarget(
      name: "changelog-bugs", dependencies: ["ReunionChangelog", "ReunionChangelogPostgres"],
      path: "Tests/Fixtures/ChangelogBugs", swiftSettings: settings),
    .testTarget(
      name: "ReunionChangelogTests",
      dependencies: [
        "ReunionChangelog", "ReunionChangelogCommand", "ChangelogSamples", "changelog-bugs",
      ],
      swiftSettings: unoptimised),
    .testTarget(
      name: "ReunionChangelogPostgresTests",
      dependencies: [
        "ReunionChangelogPostgres", "ReunionChangelog", "ReunionChangelogCommand",
        "ChangelogSamples", "changelog-bugs",
      ],
      swiftSettings: unoptimised),
    // Ours beside what Liquibase 4.6.2 was seen to do.
    .testTarget(
      name: "YardstickTests", dependencies: ["ReunionChangelog", "ChangelogSamples"],
      swiftSettings: unoptimised),
  ],
  swiftLanguageModes: [.v6]
)
