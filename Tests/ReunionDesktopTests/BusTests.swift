import Foundation
import PrivateBus
import ReunionDesktop
import Testing

/// The bus, against a daemon that really runs.
@Suite struct BusTests {
  @Test func `a call is answered, and an error has its name`() async throws {
    let daemon = try PrivateBus()
    let bus = try daemon.connect()
    let id = try await bus.call(.ofBus("GetId"))
    #expect(id.first?.asText?.count == 32)
    await #expect {
      try await bus.call(BusCall("org.example.Nobody", "/", "org.example.Any", "Call"))
    } throws: { error in
      (error as? BusError)?.name == BusError.serviceUnknown
    }
    _ = try await bus.call(.ofBus("RequestName", [.string("org.example.Forbidden"), .uint32(0)]))
    await #expect {
      try await bus.call(BusCall("org.example.Forbidden", "/", "org.example.Any", "Call"))
    } throws: { error in
      (error as? BusError)?.name == BusError.accessDenied
    }
  }

  /// One of each kind, and deep ones.
  static let values: [BusValue] = [
    .bool(true), .byte(255), .int16(-2), .uint16(65_535), .int32(-3), .uint32(4_000_000_000),
    .int64(-5), .uint64(.max), .double(0.5), .string("Grüße"), .path("/a/b_1"), .signature("a{sv}"),
    .bytes([]), .bytes([0, 1, 255]), .array("s", []), .strings(["a", ""]),
    .structure([.byte(1), .structure([.string("x"), .bool(false)])]),
    .properties(["UUID": .string("u"), "Flags": .strings(["read"]), "Value": .bytes([1])]),
    .dictionary("qv", [.uint16(76): .variant(.bytes([9]))]),
    .dictionary(
      "oa{sa{sv}}",
      [
        .path("/x"): .dictionary("sa{sv}", [.string("i"): .properties(["A": .variant(.int32(1))])])
      ]),
    .array("(qa{sv})", [.structure([.uint16(1), .properties([:])])]),
  ]

  @Test func `what an object is called with arrives as it was, and its answer too`() async throws {
    let daemon = try PrivateBus()
    let server = try daemon.connect()
    let client = try daemon.connect()
    let name = try await server.uniqueName
    let export = server.export("/echo") { request in
      guard request.method == "Echo", request.interface == "org.example.Echo" else {
        return request.fail(BusError("org.example.Error.Odd", "Say Echo."))
      }
      request.reply(request.arguments)
    }
    // This waits behind it.
    _ = try await server.call(.ofBus("GetId"))
    let answer = try await client.call(
      BusCall(name, "/echo/below", "org.example.Echo", "Echo", Self.values))
    #expect(answer == Self.values)
    await #expect {
      try await client.call(BusCall(name, "/echo", "org.example.Echo", "Other"))
    } throws: { error in
      error as? BusError == BusError("org.example.Error.Odd", "Say Echo.")
    }
    withExtendedLifetime((server, export)) {}
  }

  @Test func `a request that nobody answers fails, and so does an object that is gone`()
    async throws
  {
    let daemon = try PrivateBus()
    let server = try daemon.connect()
    let client = try daemon.connect()
    let name = try await server.uniqueName
    var export: BusRegistration? = server.export("/quiet") { _ in }
    // This waits behind it.
    _ = try await server.call(.ofBus("GetId"))
    await #expect {
      try await client.call(BusCall(name, "/quiet", "org.example.Any", "Call"))
    } throws: { error in
      (error as? BusError)?.name == BusError.failed
    }
    withExtendedLifetime(export) {}
    export = nil
    // This waits behind the removal.
    _ = try await server.call(.ofBus("GetId"))
    await #expect {
      try await client.call(BusCall(name, "/quiet", "org.example.Any", "Call"))
    } throws: { error in
      (error as? BusError)?.name == BusError.unknownObject
    }
  }

  @Test func `signals come in their order, to each who listens, and not to who left`() async throws
  {
    let daemon = try PrivateBus()
    let server = try daemon.connect()
    let client = try daemon.connect()
    let (first, firstYield) = AsyncStream.makeStream(of: BusSignal.self)
    let (second, secondYield) = AsyncStream.makeStream(of: BusSignal.self)
    let one = client.signals(BusMatch(interface: "org.example.Count")) { firstYield.yield($0) }
    var two: BusRegistration? = client.signals(BusMatch(path: "/count", member: "Tick")) {
      secondYield.yield($0)
    }
    // The daemon has taken both when it answers.
    _ = try await client.call(.ofBus("GetId"))
    for number in Int32(0)..<500 {
      server.emit("/count", "org.example.Count", "Tick", [.int32(number)])
    }
    var next = 0
    for await signal in first {
      #expect(signal.arguments == [.int32(Int32(next))])
      next += 1
      if next == 500 { break }
    }
    var others = second.makeAsyncIterator()
    for number in 0..<500 {
      let signal = await others.next()
      #expect(signal?.arguments == [.int32(Int32(number))])
    }
    withExtendedLifetime(two) {}
    two = nil
    _ = try await client.call(.ofBus("GetId"))
    server.emit("/count", "org.example.Count", "Tick", [.int32(500)])
    _ = try await server.call(.ofBus("GetId"))
    _ = try await client.call(.ofBus("GetId"))
    secondYield.finish()
    let late = await others.next()
    #expect(late == nil)
    withExtendedLifetime(one) {}
  }

  @Test func `a descriptor arrives open, and is closed with its last holder`() async throws {
    let daemon = try PrivateBus()
    let server = try daemon.connect()
    let client = try daemon.connect()
    let name = try await server.uniqueName
    let (near, far) = try #require(BusDescriptor.pair(sendBytesMax: 16_384))
    let export = server.export("/pipe") { [far] request in
      request.reply([.descriptor(far), .uint16(517)])
    }
    // This waits behind it.
    _ = try await server.call(.ofBus("GetId"))
    var answer = try await client.call(BusCall(name, "/pipe", "org.example.Pipe", "Open"))
    let copy = try #require(answer.first?.asDescriptor)
    #expect(copy.number != far.number)
    #expect(copy.send([1, 2, 3]) == .done)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(read(near.number, &buffer, 16) == 3)
    #expect(buffer.prefix(3) == [1, 2, 3])
    var sent = 0
    while near.send([UInt8](repeating: 0, count: 500)) == .done { sent += 1 }
    #expect(sent > 4 && sent < 200, "the socket pushes back: \(sent)")
    answer = []
    withExtendedLifetime((server, export)) {}
  }

  @Test func `when the daemon ends, who waits for an answer hears so, once`() async throws {
    let daemon = try PrivateBus()
    let server = try daemon.connect()
    let (lost, yield) = AsyncStream.makeStream(of: Void.self)
    let client = try daemon.connect { yield.yield() }
    let name = try await server.uniqueName
    let (asked, askedYield) = AsyncStream.makeStream(of: BusRequest.self)
    let export = server.export("/slow") { askedYield.yield($0) }
    // This waits behind it.
    _ = try await server.call(.ofBus("GetId"))
    async let answer: Void = {
      await #expect(throws: BusError.self) {
        try await client.call(BusCall(name, "/slow", "org.example.Any", "Call", limit: nil))
      }
    }()
    var requests = asked.makeAsyncIterator()
    let request = await requests.next()
    daemon.stop()
    await answer
    var losses = lost.makeAsyncIterator()
    await losses.next()
    await #expect {
      try await client.call(.ofBus("GetId"))
    } throws: { error in
      (error as? BusError)?.name == BusError.disconnected
    }
    request?.reply()
    withExtendedLifetime((server, export)) {}
  }

  @Test func `a bus that nobody holds answers who waits`() async throws {
    let daemon = try PrivateBus()
    let server = try daemon.connect()
    let name = try await server.uniqueName
    let (asked, yield) = AsyncStream.makeStream(of: BusRequest.self)
    let export = server.export("/slow") { yield.yield($0) }
    // This waits behind it.
    _ = try await server.call(.ofBus("GetId"))
    var client: Bus? = try daemon.connect()
    let (told, tell) = AsyncStream.makeStream(of: String.self)
    client?.call(BusCall(name, "/slow", "org.example.Any", "Call", limit: nil)) { result in
      if case .failure(let error) = result { tell.yield(error.name) }
    }
    var requests = asked.makeAsyncIterator()
    let request = await requests.next()
    client = nil
    var names = told.makeAsyncIterator()
    let heard = await names.next()
    #expect(heard == BusError.disconnected)
    withExtendedLifetime((server, request, export)) {}
  }

  @Test func `what cannot be said on the bus is refused with a name`() async throws {
    let daemon = try PrivateBus()
    let bus = try daemon.connect()
    for value: BusValue in [.path("no path"), .string("a\0b"), .array("?", []), .signature("a{")] {
      await #expect(throws: BusError.self) {
        try await bus.call(BusCall("org.example.Any", "/", "org.example.Any", "Call", [value]))
      }
    }
    await #expect(throws: BusError.self) {
      try await bus.call(BusCall("not a name", "//", "x", "y"))
    }
    #expect(throws: BusError.self) { try Bus(.at("unix:path=/nowhere/at/all")) }
    _ = try await bus.call(.ofBus("GetId"))
  }

  @Test func `the entries of a dictionary go out in order, and so the same way each time`()
    async throws
  {
    let daemon = try PrivateBus()
    let server = try daemon.connect()
    let keys = (100..<130).map { "key\($0)" }
    let entries = keys.map { (BusValue.string($0), BusValue.variant(.bool(true))) }
    let answer = BusValue.dictionary("sv", Dictionary(entries, uniquingKeysWith: { $1 }))
    let export = server.export("/") { $0.reply([answer]) }
    // What reads them into a dictionary would not show it.
    let reader = Process()
    reader.executableURL = URL(filePath: "/usr/bin/dbus-send")
    let name = try await server.uniqueName
    reader.arguments = [
      "--bus=\(daemon.address)", "--print-reply", "--dest=\(name)", "/", "org.example.Any.Call",
    ]
    let output = Pipe()
    reader.standardOutput = output
    try reader.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.matches(of: /"(key\d+)"/).map { String($0.1) } == keys)
    withExtendedLifetime(export) {}
  }
}
