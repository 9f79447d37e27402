import Testing

@testable import ReunionServer

/// Bodies of an app's routes, of which few are in memory at once.
@Suite struct BodyPlacesTests {
  @Test func `one device has two places, and others have the rest`() throws {
    let places = BodyPlaces()
    let own = (0..<9).compactMap { _ in places.enter(1, at: 0) }
    #expect(own.count == BodyPlaces.mostOfOne)
    let others = (2..<20).compactMap { places.enter($0, at: 0) }
    #expect(own.count + others.count == BodyPlaces.most)
    own[0].leave()
    own[0].leave()
    let next = try #require(places.enter(1, at: 0))
    #expect(places.enter(30, at: 0) == nil)
    withExtendedLifetime((own, others, next)) {}
  }

  @Test func `who drips loses the place to the next, and who sends well keeps it`() throws {
    let places = BodyPlaces()
    let bodies = try (0..<BodyPlaces.most).map {
      try #require(places.enter(UInt64($0), at: 0))
    }
    for (number, body) in bodies.enumerated() { #expect(body.took(number == 3 ? 1 : 50_000)) }
    // Everybody has a while.
    #expect(places.enter(99, at: BodyPlaces.graceSeconds - 1) == nil)
    let next = try #require(places.enter(99, at: BodyPlaces.graceSeconds))
    #expect(!bodies[3].took(1) && !bodies[3].isWhole())
    #expect(bodies[4].took(1))
    // Given back late, it takes nobody else's.
    bodies[3].leave()
    #expect(next.took(1))
  }

  @Test func `what is worked on keeps its place, however long that takes`() throws {
    let places = BodyPlaces()
    let bodies = try (0..<BodyPlaces.most).map {
      try #require(places.enter(UInt64($0), at: 0))
    }
    for body in bodies { #expect(body.isWhole()) }
    #expect(places.enter(99, at: 1000) == nil)
    withExtendedLifetime(bodies) {}
  }
}
