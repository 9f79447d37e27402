/// Looks for codes in a picture, in the worker.
struct BarcodeSearch {
  /// The bits of the symbologies.
  let symbologies: UInt32

  func codes(in picture: GreyPicture) -> [Barcode] {
    var ledger = SearchLedger(of: picture, symbologies: symbologies)
    func look(_ step: SearchStep) {
      let found = step.copy(of: picture).codes(symbologies, linesMin: step.linesMin)
      ledger.note(found, linesMin: step.linesMin)
    }
    let plan = SearchPlan(width: picture.width, height: picture.height)
    for step in plan.always { look(step) }
    for step in plan.centred {
      let copy = step.copy(of: picture)
      if symbologies & Symbology.aztec.bit != 0 {
        ledger.note(AztecSearch(in: copy).codes, linesMin: 0)
      }
      if symbologies & Symbology.dataMatrix.bit != 0 {
        ledger.note(copy.dataMatrixCodes, linesMin: 0)
      }
    }
    for step in plan.further where ledger.codes.isEmpty { look(step) }
    return ledger.codes.map(Barcode.init)
  }

  /// With zxing's own options, which abort on some pictures.
  func byDefault(in picture: GreyPicture) -> [Barcode] {
    FoundCode.some(in: picture, symbologies: symbologies, byDefault: true).map(Barcode.init)
  }
}

extension Barcode {
  init(_ found: FoundCode) {
    self.init(
      symbology: found.symbology, text: found.text, bytes: found.bytes, corners: found.corners,
      part: found.part)
  }
}
