extension ChangelogRun {
  /// What the conditions of a changeset come to.
  enum Verdict {
    case met
    case warned(String)
    case leftOut(String)
    case marked(String)
    case halted(ChangelogError)
  }

  func verdict(on preconditions: Preconditions) throws(ChangelogError) -> Verdict {
    if script != nil {
      switch preconditions.onScript {
      case .ignore: return .met
      case .fail:
        return .halted(
          ChangelogError(.refused, "The preconditions say onSqlOutput:FAIL: no SQL is written."))
      case .test: break
      }
    }
    let unmet: Unmet?
    do throws(DatabaseError) {
      unmet = try firstUnmet(of: preconditions.conditions)
    } catch {
      guard !error.isDisconnected else {
        throw ChangelogError(.failed, "\(database.name): \(error.message).")
      }
      let why = "A precondition could not be checked: \(error.message)."
      return Self.verdict(preconditions.onError, why, nil)
    }
    guard let unmet else { return .met }
    return Self.verdict(preconditions.onFail, unmet.why, unmet.place)
  }

  private static func verdict(
    _ reaction: Preconditions.Reaction, _ why: String, _ place: Place?
  ) -> Verdict {
    switch reaction {
    case .halt:
      .halted(
        ChangelogError(
          .failed, why, at: place,
          write:
            "--preconditions onFail:MARK_RAN (or CONTINUE), where the changeset may be left out"))
    case .proceed: .leftOut(why)
    case .markRan: .marked(why)
    case .warn: .warned(why)
    }
  }

  private struct Unmet {
    let why: String
    let place: Place?
  }

  private func firstUnmet(of conditions: [Precondition]) throws(DatabaseError) -> Unmet? {
    for condition in conditions {
      if let unmet = try unmet(condition) { return unmet }
    }
    return nil
  }

  /// Why a condition does not hold; nil where it does.
  private func unmet(_ condition: Precondition) throws(DatabaseError) -> Unmet? {
    switch condition {
    case .query(let query, let expected, let place):
      let rows = try database.query(query)
      guard rows.count == 1, let value = rows[0].first else {
        return Unmet(why: "The query gives \(rows.count) rows, not one.", place: place)
      }
      guard value != expected else { return nil }
      return Unmet(
        why: "The query gives \(value ?? "NULL"), and \(expected) is expected.", place: place)
    case .table(let name, let schema, let place):
      if try database.hasTable(name, schema: schema) { return nil }
      return Unmet(why: "There is no table \(name).", place: place)
    case .view(let name, let schema, let place):
      if try database.hasView(name, schema: schema) { return nil }
      return Unmet(why: "There is no view \(name).", place: place)
    case .column(let name, let table, let schema, let place):
      if try database.hasColumn(name, of: table, schema: schema) { return nil }
      return Unmet(why: "There is no column \(table).\(name).", place: place)
    case .index(let name, let table, let schema, let place):
      if try database.hasIndex(name, of: table, schema: schema) { return nil }
      return Unmet(why: "There is no index \(name).", place: place)
    case .sequence(let name, let schema, let place):
      if try database.hasSequence(name, schema: schema) { return nil }
      return Unmet(why: "There is no sequence \(name).", place: place)
    case .rowCount(let table, let schema, let expected, let place):
      let count = try database.rowCount(of: table, schema: schema)
      guard count != expected else { return nil }
      return Unmet(
        why: "The table \(table) has \(count) rows, and \(expected) are expected.", place: place)
    case .changeset(let id, let author, let path, let place):
      let key = ChangesetKey(id: id, author: author, path: path)
      if try history.rows()?.contains(where: { $0.key == key }) == true { return nil }
      return Unmet(why: "The changeset \(key) was not run.", place: place)
    case .dbms(let list):
      if selection.includes(dbms: list) { return nil }
      return Unmet(why: "The database is not \(list).", place: nil)
    case .all(let conditions): return try firstUnmet(of: conditions)
    case .any(let conditions):
      var last: Unmet?
      for condition in conditions {
        last = try unmet(condition)
        if last == nil { return nil }
      }
      return last
    case .not(let condition):
      if try unmet(condition) != nil { return nil }
      return Unmet(why: "A condition holds that must not.", place: nil)
    }
  }
}
