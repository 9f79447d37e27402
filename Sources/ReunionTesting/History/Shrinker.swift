/// Finds a short part of a list that still fails. Source: Zeller, Hildebrandt: "Simplifying and
/// Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002 (delta debugging, ddmin).
package enum Shrinker {
  /// A part of a failing list of which no single element can be left out, in its order.
  ///
  /// The closure says whether a part fails; its last call that says so is with the result.
  package static func shortened<Element>(
    _ elements: [Element], fails: ([Element]) -> Bool
  ) -> [Element] {
    guard fails(elements) else { return elements }
    var elements = elements
    var count = 2
    while elements.count >= 2 {
      let size = (elements.count + count - 1) / count
      var isShorter = false
      var start = 0
      while start < elements.count {
        var rest = elements
        rest.removeSubrange(start..<min(start + size, elements.count))
        if fails(rest) {
          elements = rest
          isShorter = true
        } else {
          start += size
        }
      }
      if isShorter {
        count = max(count - 1, 2)
      } else if size == 1 {
        break
      } else {
        count = min(count * 2, elements.count)
      }
    }
    if elements.count == 1, fails([]) { elements = [] }
    return elements
  }
}
