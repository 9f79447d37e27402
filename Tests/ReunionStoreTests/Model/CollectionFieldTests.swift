import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// A record with a counter, sets and lists.
private struct Recipe: Entity, Equatable {
  let id: RecordID
  var name = ""
  var cooked: Counter = 0
  var tags: Set<String> = []
  var steps: OrderedList<String> = []
  var photos: OrderedList<BlobReference> = []

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Recipe>(
    9, "recipe",
    [
      .field(1, "name", \.name), .field(2, "cooked", \.cooked), .field(3, "tags", \.tags),
      .field(4, "steps", \.steps), .field(5, "photos", \.photos),
    ])
}

private let model = Model(Recipe.schema)

@Suite struct CollectionFieldTests {
  @Test func `setting a counter, a set or a list makes it that, over what others add meanwhile`()
    throws
  {
    let folders = [Folder(), Folder()]
    let (phone, laptop) = (try folders[0].open(model), try folders[1].open(model))
    let recipe = try phone.write(in: space) { transaction in
      try transaction.create(Recipe.self) {
        $0.cooked = 3
        $0.tags = ["warm"]
        $0.steps = ["chop"]
      }
    }
    try laptop.pull(from: phone)
    try laptop.write(in: space) { try $0.add(10, to: \Recipe.cooked, of: recipe.id) }
    try phone.write(in: space) { transaction in
      try transaction.set(\Recipe.cooked, of: recipe.id, to: 5)
      try transaction.set(\Recipe.tags, of: recipe.id, to: ["cold"])
      try transaction.set(\Recipe.steps, of: recipe.id, to: ["chop", "eat"])
    }
    let shown = try #require(try phone.fetch(Recipe.self, recipe.id, in: space))
    #expect(shown.cooked == 5 && shown.tags == ["cold"] && Array(shown.steps) == ["chop", "eat"])
    try laptop.pull(from: phone)
    #expect(try laptop.fetch(Recipe.self, recipe.id, in: space)?.cooked == 15)
  }

  @Test func `writes and reads counters, sets and lists, over a new opening too`() throws {
    let folder = Folder()
    var recipe = Recipe(id: RecordID(high: 1, low: 1))
    recipe.name = "Soup"
    recipe.cooked = 3
    recipe.tags = ["warm", "été"]
    recipe.steps = ["chop", "boil", "eat"]
    do {
      let store = try folder.open(model)
      try store.write(in: space) { try $0.create(recipe) }
      #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
      try store.close()
    }
    let store = try folder.open(model)
    #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
    try store.write(in: space) { transaction in
      try transaction.add(2, to: \Recipe.cooked, of: recipe.id)
      try transaction.add(-1, to: \Recipe.cooked, of: recipe.id)
      try transaction.insert("quick", into: \Recipe.tags, of: recipe.id)
      try transaction.remove("warm", from: \Recipe.tags, of: recipe.id)
      try transaction.remove("never there", from: \Recipe.tags, of: recipe.id)
      try transaction.insert("salt", into: \Recipe.steps, at: 2, of: recipe.id)
      try transaction.insert("rest", into: \Recipe.steps, of: recipe.id)
      try transaction.move(in: \Recipe.steps, from: 4, to: 0, of: recipe.id)
      let now = try #require(try transaction.fetch(Recipe.self, recipe.id))
      #expect(Array(now.steps) == ["rest", "chop", "boil", "salt", "eat"])
      try transaction.remove(at: 1, from: \Recipe.steps, of: recipe.id)
    }
    recipe.cooked = 4
    recipe.tags = ["quick", "été"]
    recipe.steps = ["rest", "boil", "salt", "eat"]
    #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
  }

  @Test func `an update writes the difference, and a move as one change`() throws {
    let folder = Folder()
    let store = try folder.open(model)
    var recipe = Recipe(id: RecordID(high: 1, low: 1))
    recipe.steps = ["a", "b", "c", "d", "e"]
    recipe.tags = ["x"]
    try store.write(in: space) { try $0.create(recipe) }
    let before = try store.vector(of: space)[store.site]
    recipe.steps = ["e", "a", "b", "c", "d"]
    recipe.tags = ["x", "y"]
    recipe.cooked.value += 5
    try store.write(in: space) { try $0.update(recipe) }
    #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
    #expect(try store.vector(of: space)[store.site] == before + 3)
    recipe.steps = ["new", "d", "b", "new", "a"]
    recipe.tags = ["y", "z"]
    try store.write(in: space) { try $0.update(recipe) }
    #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
    try store.write(in: space) { try $0.update(recipe) }
    var random = Seeded(state: 5)
    for _ in 0..<60 {
      recipe.steps = OrderedList(
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
          ["a", "b", "c", "d"].randomElement(using: &random) ?? ""
        })
      try store.write(in: space) { try $0.update(recipe) }
      #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
    }
  }

  @Test func `what devices change apart comes together`() throws {
    let folders = [Folder(), Folder()]
    let (a, b) = (try folders[0].open(model), try folders[1].open(model))
    var recipe = Recipe(id: a.newID())
    recipe.cooked = 1
    recipe.tags = ["warm"]
    recipe.steps = ["chop", "boil", "eat"]
    try a.write(in: space) { try $0.create(recipe) }
    try b.pull(from: a)
    try a.write(in: space) { transaction in
      try transaction.add(10, to: \Recipe.cooked, of: recipe.id)
      try transaction.remove("warm", from: \Recipe.tags, of: recipe.id)
      try transaction.move(in: \Recipe.steps, from: 2, to: 0, of: recipe.id)
      try transaction.remove(at: 1, from: \Recipe.steps, of: recipe.id)
    }
    try b.write(in: space) { transaction in
      try transaction.add(100, to: \Recipe.cooked, of: recipe.id)
      try transaction.insert("warm", into: \Recipe.tags, of: recipe.id)
      try transaction.insert("salt", into: \Recipe.steps, at: 2, of: recipe.id)
      try transaction.move(in: \Recipe.steps, from: 0, to: 3, of: recipe.id)
    }
    try a.pull(from: b)
    try b.pull(from: a)
    let merged = try #require(try a.fetch(Recipe.self, recipe.id, in: space))
    #expect(merged.cooked == 111)
    #expect(merged.tags == ["warm"])
    #expect(Array(merged.steps) == ["eat", "boil", "salt"])
    #expect(try b.fetch(Recipe.self, recipe.id, in: space) == merged)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test func `an item finds its place between two that were put at the same one`() throws {
    let folders = [Folder(), Folder()]
    // Both draw the same numbers, so that their items meet at one place.
    let isFixed = Lock(false)
    let draw: @Sendable () -> UInt64 = {
      isFixed.withLock { $0 } ? 7 : UInt64.random(in: 0 ... .max)
    }
    let a = try folders[0].open(model) { $0.random = draw }
    let b = try folders[1].open(model) { $0.random = draw }
    isFixed.withLock { $0 = true }
    let id = RecordID(high: 1, low: 1)
    try a.write(in: space) { try $0.create(Recipe(id: id)) }
    try b.pull(from: a)
    try a.write(in: space) { try $0.insert("a", into: \Recipe.steps, of: id) }
    try b.write(in: space) { try $0.insert("b", into: \Recipe.steps, of: id) }
    try a.pull(from: b)
    var steps = Array(try #require(try a.fetch(Recipe.self, id, in: space)).steps)
    #expect(steps.sorted() == ["a", "b"])
    try a.write(in: space) { try $0.insert("between", into: \Recipe.steps, at: 1, of: id) }
    steps.insert("between", at: 1)
    #expect(Array(try #require(try a.fetch(Recipe.self, id, in: space)).steps) == steps)
    try b.pull(from: a)
    #expect(Array(try #require(try b.fetch(Recipe.self, id, in: space)).steps) == steps)
  }

  @Test func `a relay without the model merges them, and the fields appear with the model`() throws
  {
    let folders = [Folder(), Folder(), Folder()]
    let (a, b) = (try folders[0].open(model), try folders[1].open(model))
    var relay = try folders[2].open(Model())
    var recipe = Recipe(id: a.newID())
    recipe.tags = ["one"]
    recipe.steps = ["first"]
    recipe.photos = [BlobReference(hash: BlobHash(of: [1]), byteCount: 1)]
    try a.write(in: space) { try $0.create(recipe) }
    try b.pull(from: a)
    try a.write(in: space) { try $0.add(1, to: \Recipe.cooked, of: recipe.id) }
    try b.write(in: space) { try $0.add(1, to: \Recipe.cooked, of: recipe.id) }
    try relay.pull(from: a)
    try relay.pull(from: b)
    try a.pull(from: relay)
    #expect(try relay.digest(of: space) == a.digest(of: space))
    #expect(try relay.blobs.missing(in: space).map(\.hash) == [BlobHash(of: [1])])
    try relay.close()
    relay = try folders[2].open(model)
    recipe.cooked = 2
    #expect(try relay.fetch(Recipe.self, recipe.id, in: space) == recipe)
  }

  @Test func `a record that comes back has the elements that it is created with`() throws {
    let folder = Folder()
    let store = try folder.open(model)
    var recipe = Recipe(id: store.newID())
    recipe.tags = ["old", "both"]
    recipe.steps = ["old", "both"]
    recipe.cooked = 5
    try store.write(in: space) { try $0.create(recipe) }
    try store.write(in: space) { try $0.delete(Recipe.self, recipe.id) }
    #expect(try store.fetch(Recipe.self, recipe.id, in: space) == nil)
    recipe.tags = ["both", "new"]
    recipe.steps = ["both", "new"]
    recipe.cooked = 1
    try store.write(in: space) { try $0.create(recipe) }
    #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
  }

  @Test func `queries find records by counters and by elements of sets`() throws {
    let folder = Folder()
    let store = try folder.open(model)
    try store.write(in: space) { transaction in
      for number in 0..<10 {
        try transaction.create(Recipe.self) {
          $0.name = "\(number)"
          $0.cooked = Counter(number)
          $0.tags = number % 3 == 0 ? ["third", "any"] : ["any"]
        }
      }
    }
    let often = Query<Recipe>(in: space).filter(\.cooked > 7)
    #expect(try store.fetch(often).map(\.name).sorted() == ["8", "9"])
    let third = Query<Recipe>(in: space).filter(.contains(\.tags, "third"))
    #expect(try store.fetch(third).map(\.name).sorted() == ["0", "3", "6", "9"])
    #expect(try store.count(third) == 4)
  }

  @Test func `an index outside of a list is an error, and nothing is written`() throws {
    let folder = Folder()
    let store = try folder.open(model)
    let recipe = Recipe(id: store.newID())
    try store.write(in: space) { try $0.create(recipe) }
    for index in [-1, 0, 1, Int.max] {
      #expect(
        isCode(.noSuchItem) {
          try store.write(in: space) {
            try $0.remove(at: index, from: \Recipe.steps, of: recipe.id)
          }
        })
      #expect(throws: StoreError.self) {
        try store.write(in: space) {
          try $0.move(in: \Recipe.steps, from: index, to: 0, of: recipe.id)
        }
      }
    }
    #expect(throws: StoreError.self) {
      try store.write(in: space) { try $0.insert("a", into: \Recipe.steps, at: 1, of: recipe.id) }
    }
    #expect(try store.fetch(Recipe.self, recipe.id, in: space) == recipe)
  }
}
