import ReunionFlow

/// How many bodies of an app's routes are in memory at once: few, few of one device, and who is slowest makes
/// room for the next.
///
/// A device costs nothing, so that a bound of one device alone keeps nobody out who has many; but bodies that
/// drip lose their places to those that come.
final class BodyPlaces: Sendable {
  static let most = 8
  static let mostOfOne = 2
  /// How long a body keeps its place, however slow it is.
  static let graceSeconds = 5.0

  private struct Taken {
    let device: UInt64
    let begun: Double
    var byteCount = 0
    /// Whether all of it is here, so that it is worked on.
    var isWhole = false
  }

  private struct State {
    var last = 0
    var taken: [Int: Taken] = [:]

    /// The slowest body, of those that are still coming and have had their time.
    func slowest(at now: Double) -> Int? {
      taken.lazy.filter { !$0.value.isWhole && now - $0.value.begun >= BodyPlaces.graceSeconds }
        .min { Self.speed($0.value, now) < Self.speed($1.value, now) }?.key
    }

    private static func speed(_ taken: Taken, _ now: Double) -> Double {
      Double(taken.byteCount) / max(now - taken.begun, 1)
    }
  }

  private let state = Lock(State())

  /// A place for one more body of a device, or nil where there are enough.
  func enter(_ device: UInt64, at now: Double) -> Place? {
    state.withLock { state in
      guard state.taken.values.count(where: { $0.device == device }) < Self.mostOfOne else {
        return nil
      }
      if state.taken.count >= Self.most {
        guard let slowest = state.slowest(at: now) else { return nil }
        state.taken[slowest] = nil
      }
      state.last += 1
      state.taken[state.last] = Taken(device: device, begun: now)
      return Place(self, state.last)
    }
  }

  private func leave(_ number: Int) { state.withLock { $0.taken[number] = nil } }

  /// Counts bytes of a body; false where it has lost its place.
  private func took(_ byteCount: Int, at number: Int) -> Bool {
    state.withLock { state in
      state.taken[number]?.byteCount += byteCount
      return state.taken[number] != nil
    }
  }

  private func isWhole(_ number: Int) -> Bool {
    state.withLock { state in
      state.taken[number]?.isWhole = true
      return state.taken[number] != nil
    }
  }

  /// One place, which is given back once, at the latest when nobody has it.
  final class Place: Sendable {
    private let places: BodyPlaces
    private let number: Int

    init(_ places: BodyPlaces, _ number: Int) { (self.places, self.number) = (places, number) }

    /// Counts bytes that have come; false where another body has the place now.
    func took(_ byteCount: Int) -> Bool { places.took(byteCount, at: number) }

    /// Keeps the place while the body is worked on; false where another body has it now.
    func isWhole() -> Bool { places.isWhole(number) }

    func leave() { places.leave(number) }

    deinit { leave() }
  }
}

/// Takes a body that has a place into memory.
final class PlacedBody: BodyReceiver {
  private let place: BodyPlaces.Place
  private let then: ([UInt8], BodyPlaces.Place, HTTPResponder) -> Void
  private var responder: HTTPResponder?
  private var body: [UInt8] = []

  /// What somebody is told for whom there is no place, or none any more.
  static var refusal: HTTPResponse {
    .error(503, "Too much is being sent at once. Try again in a moment.").with("Retry-After", "2")
  }

  init(
    _ place: BodyPlaces.Place,
    _ then: @escaping ([UInt8], BodyPlaces.Place, HTTPResponder) -> Void
  ) {
    (self.place, self.then) = (place, then)
  }

  func began(_ responder: HTTPResponder) { self.responder = responder }

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard responder != nil else { return }
    guard place.took(bytes.count) else { return refuse() }
    body.append(contentsOf: bytes)
  }

  func finished() {
    guard let responder else { return }
    guard place.isWhole() else { return refuse() }
    let body = body
    self.body = []
    then(body, place, responder)
  }

  func aborted() {
    responder = nil
    place.leave()
  }

  private func refuse() {
    body = []
    responder?.respond(Self.refusal)
    responder = nil
  }
}
