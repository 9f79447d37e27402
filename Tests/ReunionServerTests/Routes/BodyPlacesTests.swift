import Testing

@testable import ReunionServer

/// Bodies of an app's routes, of which few are worked on at once.
@Suite struct BodyPlacesTests {
  @Test func `one device has two places, and others have the rest`() throws {
    let places = BodyPlaces()
    let own = (0..<9).compactMap { _ in places.enter(1, at: 0) }
    #expect(own.count == BodyPlaces.mostOfOne)
    let others = (2..<400).compactMap { places.enter($0, at: 0) }
    #expect(own.count + others.count == BodyPlaces.comingMax)
    own[0].leave()
    own[0].leave()
    let next = try #require(places.enter(1, at: 0))
    #expect(places.enter(900, at: 0) == nil)
    withExtendedLifetime((own, others, next)) {}
  }

  @Test func `small bodies have places of their own, and are not few`() throws {
    let places = BodyPlaces()
    let large = (0..<3).compactMap { _ in places.enter(1, at: 0) }
    let small = (0..<99).compactMap { _ in
      places.enter(1, bytesMax: BodyPlaces.smallBytesMax, at: 0)
    }
    #expect(large.count == BodyPlaces.mostOfOne && small.count == BodyPlaces.mostSmallOfOne)
    #expect((small + large).allSatisfy { $0.took(100) && $0.isWhole() })
    let others = try (0..<BodyPlaces.workedOnMax).map {
      try #require(places.enter(UInt64(2 + $0), at: 0))
    }
    #expect(others.count { $0.isWhole() } == BodyPlaces.workedOnMax - BodyPlaces.mostOfOne)
    withExtendedLifetime((large, small, others)) {}
  }

  @Test func `small bodies that drip take no place of a large one`() throws {
    let places = BodyPlaces()
    let drips = (2..<60).flatMap { device in
      (0..<16).compactMap { _ in places.enter(device, bytesMax: 1000, at: 0) }
    }
    #expect(drips.count == BodyPlaces.comingMax)
    let body = try #require(places.enter(1, at: 0))
    #expect(places.enter(1, bytesMax: 1000, at: 0) == nil)
    withExtendedLifetime((drips, body)) {}
  }

  @Test func `who drips loses the place to the next, and who sends well keeps it`() throws {
    let places = BodyPlaces()
    let bodies = try (0..<BodyPlaces.comingMax).map {
      try #require(places.enter(UInt64($0), at: 0))
    }
    for (number, body) in bodies.enumerated() { #expect(body.took(number == 3 ? 1 : 50_000)) }
    // Everybody has a while.
    #expect(places.enter(999, at: BodyPlaces.graceSeconds - 1) == nil)
    let next = try #require(places.enter(999, at: BodyPlaces.graceSeconds))
    #expect(!bodies[3].took(1) && !bodies[3].isWhole())
    #expect(bodies[4].took(1))
    // Given back late, it takes nobody else's.
    bodies[3].leave()
    #expect(next.took(1))
  }

  @Test func `a hundred devices that drip keep nobody's body out`() throws {
    let places = BodyPlaces()
    let drips = try (0..<100).map { try #require(places.enter(UInt64($0), at: 0)) }
    for drip in drips { #expect(drip.took(1)) }
    let body = try #require(places.enter(999, at: 0))
    #expect(body.took(12_000_000) && body.isWhole())
    #expect(drips.allSatisfy { $0.took(1) })
  }

  @Test func `who has most of the memory makes room, and what is worked on stays`() throws {
    let places = BodyPlaces()
    let part = BodyPlaces.bytesMax / 8
    let whole = try #require(places.enter(1, at: 0))
    #expect(whole.took(2 * part) && whole.isWhole())
    let one = try #require(places.enter(2, at: 0))
    let greedy = try (0..<2).map { _ in try #require(places.enter(3, at: 0)) }
    #expect(one.took(2 * part) && greedy[0].took(part + 1) && greedy[1].took(2 * part))
    #expect(one.took(part))
    #expect(!greedy[1].took(1) && greedy[0].took(1) && one.isWhole())
    withExtendedLifetime(whole) {}
  }

  @Test func `few are worked on at once, however long that takes`() throws {
    let places = BodyPlaces()
    let bodies = try (0...BodyPlaces.workedOnMax).map {
      try #require(places.enter(UInt64($0), at: 0))
    }
    #expect(bodies.filter { $0.isWhole() }.count == BodyPlaces.workedOnMax)
    bodies[0].leave()
    let next = try #require(places.enter(99, at: 1000))
    #expect(next.isWhole())
    withExtendedLifetime(bodies) {}
  }
}
