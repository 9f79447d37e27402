import ReunionFlow

/// How many bodies of an app's routes come and are worked on at once, and how much memory they take.
///
/// A body that drips costs a connection and a few bytes, so that many may come at once; few of one device,
/// since a device costs nothing. Only where there are very many does who is slowest make room for the next,
/// and where the memory is full, who has most of it. Few large ones are worked on at once. Small ones have places
/// of their own, since a page asks several questions at a time.
final class BodyPlaces: Sendable {
  static let comingMax = 256
  static let mostOfOne = 2
  /// A route that reads no more has small bodies.
  static let smallBytesMax = 64 << 10
  static let mostSmallOfOne = 16
  static let workedOnMax = 8
  static let smallWorkedOnMax = 256
  /// Most bytes of all bodies together.
  static let bytesMax = 96 << 20
  /// How long a body keeps its place, however slow it is.
  static let graceSeconds = 5.0

  private struct Taken {
    let device: UInt64
    let begun: Double
    let isSmall: Bool
    var byteCount = 0
    /// Whether all of it is here, so that it is worked on.
    var isWhole = false
  }

  private struct State {
    var last = 0
    var taken: [Int: Taken] = [:]
    var byteCount = 0

    /// How many bodies of a kind are still coming, or are worked on.
    func count(isWhole: Bool, isSmall: Bool) -> Int {
      taken.values.count { $0.isWhole == isWhole && $0.isSmall == isSmall }
    }

    /// The slowest body of a kind, of those that are still coming and have had their time.
    func slowest(isSmall: Bool, at now: Double) -> Int? {
      taken.lazy
        .filter {
          !$0.value.isWhole && $0.value.isSmall == isSmall
            && now - $0.value.begun >= BodyPlaces.graceSeconds
        }
        .min { Self.speed($0.value, now) < Self.speed($1.value, now) }?.key
    }

    /// The largest body that is still coming, of the device that has most.
    func largest() -> Int? {
      let bytes = Dictionary(grouping: taken.values, by: \.device)
        .mapValues { $0.reduce(0) { $0 + $1.byteCount } }
      return taken.lazy.filter { !$0.value.isWhole }
        .max {
          (bytes[$0.value.device] ?? 0, $0.value.byteCount)
            < (bytes[$1.value.device] ?? 0, $1.value.byteCount)
        }?.key
    }

    mutating func remove(_ number: Int) {
      byteCount -= taken.removeValue(forKey: number)?.byteCount ?? 0
    }

    private static func speed(_ taken: Taken, _ now: Double) -> Double {
      Double(taken.byteCount) / max(now - taken.begun, 1)
    }
  }

  private let state = Lock(State())

  /// A place for one more body of a device, of at most that many bytes; nil where there are enough.
  func enter(_ device: UInt64, bytesMax: Int = .max, at now: Double) -> Place? {
    let isSmall = bytesMax <= Self.smallBytesMax
    return state.withLock { state in
      let own = state.taken.values.count { $0.device == device && $0.isSmall == isSmall }
      guard own < (isSmall ? Self.mostSmallOfOne : Self.mostOfOne) else { return nil }
      if state.count(isWhole: false, isSmall: isSmall) >= Self.comingMax {
        guard let slowest = state.slowest(isSmall: isSmall, at: now) else { return nil }
        state.remove(slowest)
      }
      state.last += 1
      state.taken[state.last] = Taken(device: device, begun: now, isSmall: isSmall)
      return Place(self, state.last)
    }
  }

  private func leave(_ number: Int) { state.withLock { $0.remove(number) } }

  /// Counts bytes of a body; false if it has lost its place.
  private func took(_ byteCount: Int, at number: Int) -> Bool {
    state.withLock { state in
      guard state.taken[number] != nil else { return false }
      state.taken[number]?.byteCount += byteCount
      state.byteCount += byteCount
      while state.byteCount > Self.bytesMax, let largest = state.largest() {
        state.remove(largest)
      }
      return state.taken[number] != nil
    }
  }

  private func isWhole(_ number: Int) -> Bool {
    state.withLock { state in
      guard let taken = state.taken[number] else { return false }
      let most = taken.isSmall ? Self.smallWorkedOnMax : Self.workedOnMax
      guard state.count(isWhole: true, isSmall: taken.isSmall) < most else { return false }
      state.taken[number]?.isWhole = true
      return true
    }
  }

  /// One place, which is given back once, at the latest when nobody has it.
  final class Place: Sendable {
    private let places: BodyPlaces
    private let number: Int

    init(_ places: BodyPlaces, _ number: Int) { (self.places, self.number) = (places, number) }

    /// Counts bytes that have come; false where another body has the place now.
    func took(_ byteCount: Int) -> Bool { places.took(byteCount, at: number) }

    /// Keeps the place while the body is worked on; false where another body has it now, or enough are
    /// worked on.
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
