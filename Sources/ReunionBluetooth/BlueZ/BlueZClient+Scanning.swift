#if os(Linux)
  import ReunionDesktop

  /// Listening for devices.
  extension BlueZClient {
    func scan(_ services: [BluetoothID]) {
      wantedServices = services
      listen()
      // What another program's scan hears already is told anew only when it changes.
      for path in tree.devices { sight(path, isOurs: false) }
    }

    func stopScan() {
      wantedServices = nil
      listen()
    }

    /// Has BlueZ listen for what is wanted, unless it begins to connect.
    ///
    /// A kernel connects when it hears the device; while it scans for others, it hears each once, and again
    /// when the scan begins anew, after 10 s. So the scan rests while an attempt is young.
    private func listen() { scanning.want(youngAttempts.isEmpty ? wantedServices : nil) }

    /// An attempt to connect begins.
    func restScan(for path: String) {
      let isFirst = youngAttempts.isEmpty
      youngAttempts[path] = later(.seconds(4)) { [weak self] in self?.resumeScan(after: path) }
      if isFirst { listen() }
    }

    /// An attempt is over, or under way for long.
    func resumeScan(after path: String) {
      guard youngAttempts.removeValue(forKey: path) != nil, youngAttempts.isEmpty else { return }
      listen()
    }

    func startScan(_ services: [BluetoothID], _ done: @escaping @Sendable (Bool) -> Void) {
      guard let adapter else { return done(false) }
      var filter: [String: BusValue] = ["Transport": .string("le"), "DuplicateData": .bool(true)]
      if !services.isEmpty { filter["UUIDs"] = .strings(services.map(\.description)) }
      call(adapter, BlueZNames.adapter, "SetDiscoveryFilter", [.properties(filter)])
      call(adapter, BlueZNames.adapter, "StartDiscovery") { _, result in
        done((try? result.get()) != nil)
      }
    }

    func endScan(_ done: @escaping @Sendable (Bool) -> Void) {
      guard let adapter else { return done(false) }
      call(adapter, BlueZNames.adapter, "StopDiscovery") { _, _ in done(true) }
    }

    /// Tells of a device that is heard, by our own scan or by that of another program.
    func sight(_ path: String, isOurs: Bool = true) {
      guard let wantedServices, let adapter, path.hasPrefix(adapter + "/"),
        var sighting = tree.sighting(path)
      else { return }
      if !wantedServices.isEmpty, Set(wantedServices).isDisjoint(with: sighting.services) {
        // BlueZ hands on what passes its filter, and of a device whose services it knows from before it
        // does not tell those that it advertises now.
        guard isOurs, tree.hasOldServices(path) else { return }
        sighting.services += wantedServices
      }
      tell(.sighted(sighting))
    }
  }
#endif
