import ReunionCore
import ReunionDisk
import ReunionSync

extension SeededBugs {
  /// The link with those of these faults that are about links.
  func over(_ link: any Link) -> any Link {
    #if SEEDED_BUGS
      BuggyLink.over(link, self)
    #else
      link
    #endif
  }

  /// The disk with those of these faults that are about disks.
  func over(_ disk: any Disk) -> any Disk {
    #if SEEDED_BUGS
      BuggyDisk.over(disk, self)
    #else
      disk
    #endif
  }
}
