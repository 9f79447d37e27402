/// The names of zones that mean one thing, in minutes east of Greenwich.
///
/// RFC 822 gives eight names to the United States; those stay, whoever else uses them. Of the others
/// only those stand here that no two zones share: `BST` is Britain's and Bangladesh's, `IST` India's,
/// Israel's and Ireland's. A letter of the army is none but Z, since RFC 822 had their signs wrong.
enum ZoneNames {
  static let offsetMinutes = [
    "z": 0, "ut": 0, "utc": 0, "gmt": 0,
    "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480,
    "pdt": -420, "akst": -540, "akdt": -480, "hst": -600, "nst": -210, "ndt": -150,
    "wet": 0, "west": 60, "cet": 60, "cest": 120, "met": 60, "mest": 120, "mez": 60, "mesz": 120,
    "eet": 120, "eest": 180, "msk": 180, "sast": 120, "jst": 540, "kst": 540, "hkt": 480,
    "awst": 480, "acst": 570, "acdt": 630, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
  ]

  /// What an offset may follow, as in `GMT+0200` and `UTC+2`.
  static let takeOffsets: Set = ["ut", "utc", "gmt"]
}
