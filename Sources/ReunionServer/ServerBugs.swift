#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// A device keeps in a space the number that another space says it has, whoever wrote under it.
    package static var numberCarried: Self { Self() }
    /// Anybody opens a space under any id, also one that is the members of another.
    package static var spacesTaken: Self { Self() }
    /// A host makes a member that has the server's own number.
    package static var serverNumberGiven: Self { Self() }
    /// A device that may edit one space of several is believed about the server's own site.
    package static var editorBelieved: Self { Self() }
    /// A device that joins and has lost the number to somebody else gets another token, and writes
    /// under the old number.
    package static var givenNumberNotTaken: Self { Self() }
    /// A guest's requests are counted by a number that another space can carry in.
    package static var limitsByNumber: Self { Self() }
    /// The guests of all spaces have one allowance of records together.
    package static var allowanceOfAll: Self { Self() }
    /// The past is closed by its age alone, whoever still lacks what was deleted.
    package static var pastClosedBySilence: Self { Self() }
    /// What a device showed stays shown when its link is closed.
    package static var presenceOutlivesLink: Self { Self() }
  }
#endif
