/// A first-in, first-out queue over an array; append and popFirst are amortised O(1).
struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  /// The elements, oldest first.
  var all: [Element] { elements[head...].compactMap { $0 } }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func append(contentsOf other: inout Queue) {
    elements.append(contentsOf: other.elements[other.head...])
    other = Queue()
  }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
