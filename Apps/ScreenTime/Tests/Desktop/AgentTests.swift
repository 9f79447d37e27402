import Foundation
import Reunion
import ReunionServer
import ScreenTimeCore
import Testing

@testable import ScreenTimeBook
@testable import ScreenTimeDesktop

/// The agent on a real X server, with a real server of a family and a parent who looks on.
@Suite(.serialized) struct AgentTests {
  /// What a parent sees of the uses so far: "xterm program", in their order.
  static func short(_ uses: [UseRecord]) -> [String] {
    uses.sorted { $0.number < $1.number }.map { "\($0.program) \($0.ending)" }
  }

  static func seen(_ parent: FamilyBook, _ isWanted: ([String]) -> Bool) async throws {
    try await until(Query<UseRecord>(in: parent.use), of: parent.replica) { isWanted(short($0)) }
  }

  @Test func `a parent sees live which program a child uses, locks, crashes and ends`() async throws
  {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let links = [try family.link(to: "use", as: .add), try family.link(to: "limits", as: .view)]
    try await desktop.use("xterm")
    let agent = try desktop.agent(links + ["--name", "Laptop"])
    try await Self.seen(parent) { $0 == ["xterm open"] }
    try await desktop.use("xcalc")
    try await Self.seen(parent) { $0 == ["xterm program", "xcalc open"] }
    await desktop.services.change("LockedHint", to: true)
    try await Self.seen(parent) { $0.last == "xcalc locked" }
    try await desktop.use("xterm")
    await desktop.services.change("LockedHint", to: false)
    try await Self.seen(parent) { $0.last == "xterm open" && $0.count == 3 }
    // Another person sits at the machine.
    await desktop.services.change("Active", to: false)
    try await Self.seen(parent) { $0.last == "xterm locked" }
    await desktop.services.change("Active", to: true)
    try await Self.seen(parent) { $0.last == "xterm open" && $0.count == 4 }
    let devices = try await parent.replica.fetch(Query<ChildDevice>(in: parent.use))
    #expect(devices.map(\.name) == ["Laptop"] && devices.map(\.sees) == ["programs"])
    kill(agent.processIdentifier, SIGKILL)
    agent.waitUntilExit()
    // The links were kept: the second start needs none.
    let again = try desktop.agent(["--name", "Laptop"])
    try await Self.seen(parent) { $0.count == 5 && $0[3] == "xterm crash" && $0[4] == "xterm open" }
    again.terminate()
    again.waitUntilExit()
    #expect(again.terminationStatus == 0)
    // It may have had no time to say so, and then does at its next start.
    try desktop.agent(["--name", "Laptop"])
    try await Self.seen(parent) { $0.count == 6 && $0[4] == "xterm stopped" }
    let uses = try await parent.replica.fetch(Query<UseRecord>(in: parent.use))
    #expect(uses.sorted { $0.number < $1.number }.map(\.number) == [1, 2, 3, 4, 5, 6])
    // No title, no other word: all that is noted of a program is its name.
    #expect(Set(uses.map(\.program)) == ["xterm", "xcalc"])
    #expect(desktop.log.contains(What.programs(awayAfter: 120)))
  }

  @Test func `it goes on while the server is away, and what was granted meanwhile arrives`()
    async throws
  {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let links = [try family.link(to: "use", as: .add), try family.link(to: "limits", as: .view)]
    try await desktop.use("xterm")
    try desktop.agent(links)
    try await Self.seen(parent) { $0 == ["xterm open"] }
    let budget = Budget(id: Budget.id(of: nil))
    try await parent.replica.write(in: parent.limits) { transaction in
      var budget = budget
      budget.ofEverything = true
      budget.setWeek(0)
      try transaction.create(budget)
    }
    #expect(await desktop.services.notices.next()?.hasPrefix("The time is up") == true)
    family.stopServer()
    let grant = try await parent.replica.write(in: parent.limits) { transaction in
      try transaction.create(GrantRecord.self) { ($0.minutes, $0.grantedAt) = (20, Date()) }
    }
    // What was last known holds: who comes back to it is told again.
    await desktop.services.change("LockedHint", to: true)
    try await desktop.use("xcalc")
    await desktop.services.change("LockedHint", to: false)
    #expect(await desktop.services.notices.next()?.hasPrefix("The time is up") == true)
    try family.startServer()
    try await Self.seen(parent) { $0 == ["xterm locked", "xcalc open"] }
    // What was granted meanwhile comes before what becomes of it.
    #expect(try await Self.hearsOf(grant.id, desktop, parent)?.hasPrefix("5 minutes left") == true)
  }

  /// Has 20 minutes that were granted become 4, again and again until the agent tells something: several
  /// changes may arrive at once.
  static func hearsOf(
    _ grant: RecordID, _ desktop: PlayedDesktop, _ parent: FamilyBook
  ) async throws -> String? {
    let granting = Task {
      while !Task.isCancelled {
        for minutes in [20, 4] {
          try await parent.replica.write(in: parent.limits) { transaction in
            try transaction.set(\GrantRecord.minutes, of: grant, to: minutes)
          }
          try await pause(for: .milliseconds(500), because: "a parent changes it twice a second")
        }
      }
    }
    let heard = await desktop.services.notices.next()
    granting.cancel()
    _ = await granting.result
    return heard
  }

  @Test func `who touches nothing is away, and who comes back is there`() async throws {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let links = [try family.link(to: "use", as: .add), try family.link(to: "limits", as: .view)]
    try await desktop.use("xterm")
    try desktop.agent(links + ["--away-after", "3"])
    try await until(Query<ChildDevice>(in: parent.use), of: parent.replica) {
      $0.first?.seenAt != nil
    }
    try desktop.xdotool("key", "a")
    try await Self.seen(parent) { $0.contains("xterm idle") }
    let count = try await parent.replica.count(Query<UseRecord>(in: parent.use))
    // One who is away is looked for every two seconds, and is away again after three.
    let touching = Task {
      while !Task.isCancelled {
        try desktop.xdotool("key", "a")
        try await pause(for: .milliseconds(500), because: "a person touches a key twice a second")
      }
    }
    try await Self.seen(parent) { $0.count > count }
    touching.cancel()
    _ = await touching.result
  }

  @Test func `it warns by a real notification, runs what was chosen here, and hears of a grant`()
    async throws
  {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let links = [try family.link(to: "use", as: .add), try family.link(to: "limits", as: .view)]
    let program = desktop.folder + "/at-none"
    let ran = desktop.folder + "/ran"
    // A shell would change what it inherits.
    let lines = """
      #!/usr/bin/awk -f
      BEGIN {
        while ((getline line < "/proc/self/status") > 0) print line > "\(ran).new"
        close("\(ran).new")
        system("mv \(ran).new \(ran)")
      }
      """
    // By another process: what this one has open for writing cannot be started.
    let writing = try Process.run(
      URL(filePath: "/bin/sh"),
      arguments: [
        "-c", "printf '%s' \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh", lines, program,
      ])
    writing.waitUntilExit()
    try await desktop.use("xterm")
    try desktop.agent(links + ["--at-none", program])
    try await Self.seen(parent) { $0 == ["xterm open"] }
    let games = try await parent.replica.write(in: parent.limits) { transaction in
      let games = try transaction.create(Category.self) { $0.name = "Shells & games" }
      var kind = ProgramKind(id: ProgramKind.id(of: "xterm"))
      (kind.name, kind.category) = ("xterm", Reference(games))
      try transaction.create(kind)
      var budget = Budget(id: Budget.id(of: games.id))
      budget.category = Reference(games)
      budget.setWeek(3)
      try transaction.create(budget)
      return games
    }
    var heard = await desktop.services.notices.next()
    #expect(
      heard
        == "5 minutes left | Shells &amp; games: 5 minutes are left today. You may ask for more. | 1"
    )
    #expect(!FileManager.default.fileExists(atPath: desktop.folder + "/ran"))
    try await parent.replica.write(in: parent.limits) { transaction in
      var budget = Budget(id: Budget.id(of: games.id))
      budget.category = Reference(games)
      budget.setWeek(0)
      try transaction.update(budget)
    }
    heard = await desktop.services.notices.next()
    #expect(
      heard
        == "The time is up | Shells &amp; games: nothing is left today. You may ask for more. | 2")
    try await eventually("what was chosen has run") {
      FileManager.default.fileExists(atPath: desktop.folder + "/ran")
    }
    // It ends as other programs do, and hears of its children.
    for name in ["SigIgn", "SigBlk"] {
      let line = try #require(
        try String(contentsOfFile: ran, encoding: .utf8).split(separator: "\n")
          .first { $0.hasPrefix(name) })
      let bits = try #require(UInt64(line.dropFirst(name.count + 2), radix: 16))
      let ours: UInt64 = [SIGINT, SIGTERM, SIGCHLD].reduce(0) { $0 | 1 << UInt64($1 - 1) }
      #expect(bits & ours == 0, "\(line)")
    }
    let grant = try await parent.replica.write(in: parent.limits) { transaction in
      try transaction.create(GrantRecord.self) {
        ($0.minutes, $0.target) = (20, Target.category("\(games.id)").text)
        $0.grantedAt = Date()
      }
    }
    heard = try await Self.hearsOf(grant.id, desktop, parent)
    #expect(heard?.hasPrefix("5 minutes left") == true)
  }

  @Test func `under Wayland it knows whether somebody is there, and says so`() async throws {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let link =
      try family.link(to: "use", as: .add) + "&limits="
      + (try family.link(to: "limits", as: .view)).split(separator: "=")[1]
    try desktop.agent([link], onWayland: true)
    try await Self.seen(parent) { $0 == [" open"] }
    await desktop.services.change("IdleHint", to: true)
    try await Self.seen(parent) { $0 == [" idle"] }
    await desktop.services.change("IdleHint", to: false)
    try await Self.seen(parent) { $0 == [" idle", " open"] }
    await desktop.services.change("LockedHint", to: true)
    try await Self.seen(parent) { $0 == [" idle", " locked"] }
    #expect(
      try await parent.replica.fetch(Query<ChildDevice>(in: parent.use)).map(\.sees) == ["presence"]
    )
    #expect(desktop.log.contains(What.presence))
  }

  @Test func `it looks before the machine sleeps, and after`() async throws {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let links = [try family.link(to: "use", as: .add), try family.link(to: "limits", as: .view)]
    try await desktop.use("xterm")
    try desktop.agent(links)
    try await Self.seen(parent) { $0 == ["xterm open"] }
    // More often than it looks at its start. A heartbeat comes 14 seconds after the last word; what is held
    // up comes late too, and is tried again.
    var isAsleep = false
    for _ in 0..<8 {
      var isHeard = false
      for _ in 0..<5 where !isHeard {
        let before = try await parent.replica.fetch(Query<ChildDevice>(in: parent.use)).first?
          .seenAt
        isAsleep.toggle()
        desktop.services.prepareForSleep(isAsleep)
        var after = before
        try await until(Query<ChildDevice>(in: parent.use), of: parent.replica) {
          after = $0.first?.seenAt
          return after != before
        }
        let passed = try #require(after).timeIntervalSince(try #require(before))
        isHeard = passed < 13
      }
      #expect(isHeard)
    }
  }

  @Test func `it goes on with a new use where the family deleted the history`() async throws {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let links = [try family.link(to: "use", as: .add), try family.link(to: "limits", as: .view)]
    try await desktop.use("xterm")
    try desktop.agent(links)
    try await Self.seen(parent) { $0 == ["xterm open"] }
    try family.eraseHistory()
    try await Self.seen(parent) { $0.isEmpty }
    // It may not have heard of it yet: what it looks at then is refused, and the next is a new one.
    let changing = Task {
      while !Task.isCancelled {
        for isLocked in [true, false] {
          await desktop.services.change("LockedHint", to: isLocked)
          try await pause(for: .milliseconds(100), because: "a person locks it, and comes back")
        }
      }
    }
    try await Self.seen(parent) { $0.contains("xterm locked") }
    changing.cancel()
    _ = await changing.result
    #expect(!desktop.log.contains("There is no"))
  }

  @Test func `it ends and keeps nothing where the family follows nobody there any more`()
    async throws
  {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let links = [try family.link(to: "use", as: .add), try family.link(to: "limits", as: .view)]
    try await desktop.use("xterm")
    let agent = try desktop.agent(links)
    try await Self.seen(parent) { $0 == ["xterm open"] }
    let folder = desktop.folder + "/.local/state/screentime-agent"
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
    try family.followNoMore()
    agent.waitUntilExit()
    #expect(agent.terminationStatus == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    #expect(desktop.log.hasSuffix("What was kept here of it is deleted.\n"))
  }

  @Test func `it warns by the day that counts where its clock is ahead`() async throws {
    let folder = "\(NSTemporaryDirectory())/ahead-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder, model: .family)
    let book = FamilyBook(
      replica: replica, use: SpaceID(high: 1, low: 1), limits: SpaceID(high: 1, low: 2))
    let device = RecordID(high: 1, low: 1)
    let (day, now) = (86_400_000 as Int64, 1_780_000_000_000 as Int64)
    // Half an hour of the hour of a day, by a clock that is ahead by another.
    let use = Use(
      number: 1, program: "game", start: now + day - 1_800_000, offset: 0, length: 1_800_000)
    let record = try await replica.write(in: book.use) { transaction in
      try transaction.create(UseRecord.self) { $0.take(use, of: device) }
    }
    try await replica.write(in: book.limits) { transaction in
      var arrival = Arrival(id: Arrival.id(of: record.id))
      arrival.record = "\(record.id)"
      arrival.arrivedAt = Date(milliseconds: now - 1_800_000)
      try transaction.create(arrival)
      var budget = Budget(id: Budget.id(of: nil))
      budget.ofEverything = true
      budget.setWeek(60)
      try transaction.create(budget)
    }
    let announcer = Announcer(
      book, device: device, queue: DispatchQueue(label: "announcer"), atNone: nil, say: { _ in })
    let beat = Beat(
      wall: now + day, awake: 0, boot: 0, bootID: 1, offset: 0, program: "game")
    #expect(try announcer.decide(beat, isPresent: true) == 25 * 60_000)
    try replica.close()
  }

  @Test func `the page says what is noted in the agent's words`() throws {
    let app = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: app.appending(path: "README.md"), encoding: .utf8)
    let shown = try String(
      contentsOf: app.appending(path: "Page/words.js"), encoding: .utf8
    ).replacing("'\n  + '", with: "")
    for words in [What.programs(awayAfter: 120), What.presence] {
      #expect(page.contains("```text\n\(words)\n```"))
      for line in words.split(separator: "\n") { #expect(shown.contains("'\(line)'")) }
    }
    for word in ["--what", "--name", "--data", "--away-after", "--at-none"] {
      #expect(page.contains("`\(word)") && Options.help.contains(word))
    }
  }

  @Test func `what it cannot do it says in a sentence`() throws {
    func options(_ words: String...) throws -> Options {
      try Options(words, environment: ["HOME": "/home/child"], host: "laptop")
    }
    #expect(try options().folder == "/home/child/.local/state/screentime-agent")
    #expect(
      try options("http://h/#join=a&limits=b").links == ["http://h/#join=a", "http://h/#join=b"])
    for words in [
      ["--nonsense"], ["--at-none", "xlock"], ["--at-none", "/no/such/program"], ["--name"],
      ["a", "b", "c"], ["--away-after", "2"],
    ] {
      #expect(throws: Failure.self) {
        try Options(words, environment: [:], host: "")
      }
    }
  }
}

extension Budget {
  /// The same minutes each day.
  mutating func setWeek(_ minutes: Int) {
    (monday, tuesday, wednesday, thursday) = (minutes, minutes, minutes, minutes)
    (friday, saturday, sunday) = (minutes, minutes, minutes)
  }
}
