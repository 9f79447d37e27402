import ReunionFlow

/// How many bodies of an app's routes are in memory at once.
final class BodyPlaces: Sendable {
  static let most = 8
  private let taken = Lock(0)

  /// A place for one more, or nil where there are enough.
  func enter() -> Place? {
    taken.withLock { taken in
      guard taken < Self.most else { return nil }
      taken += 1
      return Place(self)
    }
  }

  private func leave() { taken.withLock { $0 -= 1 } }

  /// One place, which is given back once, at the latest when nobody has it.
  final class Place: Sendable {
    private let places: BodyPlaces
    private let isLeft = Lock(false)

    init(_ places: BodyPlaces) { self.places = places }

    func leave() {
      let isFirst = isLeft.withLock { isLeft in
        defer { isLeft = true }
        return !isLeft
      }
      if isFirst { places.leave() }
    }

    deinit { leave() }
  }
}

/// Takes a body that has a place into memory.
final class PlacedBody: BodyReceiver {
  private let place: BodyPlaces.Place
  private let then: ([UInt8], BodyPlaces.Place, HTTPResponder) -> Void
  private var responder: HTTPResponder?
  private var body: [UInt8] = []

  init(
    _ place: BodyPlaces.Place,
    _ then: @escaping ([UInt8], BodyPlaces.Place, HTTPResponder) -> Void
  ) {
    (self.place, self.then) = (place, then)
  }

  func began(_ responder: HTTPResponder) { self.responder = responder }
  func received(_ bytes: UnsafeRawBufferPointer) { body.append(contentsOf: bytes) }

  func finished() {
    guard let responder else { return }
    let body = body
    self.body = []
    then(body, place, responder)
  }

  func aborted() {
    responder = nil
    place.leave()
  }
}
