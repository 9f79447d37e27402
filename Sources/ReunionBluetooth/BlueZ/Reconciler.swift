#if os(Linux)
  import ReunionFlow

  /// Leads what BlueZ has been asked for to what is wanted, one step at a time: it takes away what is not
  /// wanted any more before it adds what is, and tries again what failed, after 1, 2, 4 … 16 s.
  ///
  /// Unchecked: confined to the queue of its radio, on which all closures are called.
  final class Reconciler<Thing: Equatable & Sendable>: @unchecked Sendable {
    typealias Done = @Sendable (Bool) -> Void
    /// Has BlueZ do it, or no longer, and says whether it does.
    private let add: (Thing, @escaping Done) -> Void
    private let remove: (@escaping Done) -> Void
    /// Calls the closure on the queue after a time.
    private let later: (Duration, @escaping @Sendable () -> Void) -> Countdown
    private var wanted: Thing?
    private var present: Thing?
    private var isBusy = false
    private var failures = 0
    private var pause: Countdown?
    /// Changes when all is forgotten: late answers mean nothing then.
    private var age = 0

    init(
      later: @escaping (Duration, @escaping @Sendable () -> Void) -> Countdown,
      add: @escaping (Thing, @escaping Done) -> Void, remove: @escaping (@escaping Done) -> Void
    ) {
      self.later = later
      self.add = add
      self.remove = remove
    }

    /// Wants this from now on, or nothing.
    func want(_ thing: Thing?) {
      wanted = thing
      failures = 0
      pause = nil
      step()
    }

    /// Nothing is wanted any more, and BlueZ has forgotten what was.
    func forget() {
      age += 1
      (wanted, present, isBusy, pause) = (nil, nil, false, nil)
    }

    private func step() {
      guard !isBusy, pause == nil, wanted != present else { return }
      isBusy = true
      let age = age
      if present != nil {
        // What BlueZ does not want to give up, it has not.
        remove { [weak self] _ in
          guard let self, self.age == age else { return }
          present = nil
          isBusy = false
          step()
        }
      } else if let thing = wanted {
        add(thing) { [weak self] isDone in
          guard let self, self.age == age else { return }
          isBusy = false
          if isDone {
            present = thing
            failures = 0
          } else {
            pause = later(.seconds(1 << min(failures, 4))) { [weak self] in
              self?.pause = nil
              self?.step()
            }
            failures += 1
          }
          step()
        }
      }
    }
  }
#endif
