package import ReunionChangelog

extension PostgresDatabase {
  /// A database of its own beside this one, with the name `reunion_scratch_…`; it takes the right to
  /// create databases, and about as much room as this one.
  package func scratchCopy() throws(DatabaseError) -> any ChangelogDatabase {
    let settings = try ScratchDatabase.settings(of: connection)
    let scratch = try ScratchDatabase(of: connection)
    do throws(DatabaseError) {
      let copy = try PostgresDatabase(
        connection.address.database(scratch.name), settings: settings, notice: notice)
      copy.scratch = scratch
      return copy
    } catch {
      scratch.drop()
      throw error
    }
  }
}
