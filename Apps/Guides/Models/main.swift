import Reunion

let replica = try Replica(folder: CommandLine.arguments[1], model: .errands)
let space = SpaceID.random()

let shopping = try replica.write(in: space) { transaction in
  let shopping = try transaction.create(TaskList.self) { $0.name = "Shopping" }
  try transaction.create(Errand.self) {
    $0.text = "Bread"
    $0.list = Reference(shopping)
    $0.urgency = .high
  }
  try transaction.create(Errand.self) { $0.list = Reference(shopping) }
  return shopping
}
for errand in try replica.fetch(shopping.errands(in: space).sorted(by: \.text)) {
  print(errand.line)
}
try replica.close()
