import Foundation
import Reunion

enum Theme: String, FieldValue { case light, dark }

let theme = SettingKey("theme", default: Theme.light)
let launches = SettingKey("launches", default: 0, merge: .counter)
let favourites = SettingKey("favourites", default: Set<String>(), merge: .union)
let bestScore = SettingKey("best score", default: 0, merge: .max)
let hasSeenTour = SettingKey("has seen tour", default: false, merge: .or)

let replica = try Replica(folder: CommandLine.arguments[1])
let me = SpaceID.random()
let settings = try replica.settings(of: me)

let observation = try settings.live(theme).observe { reading in
  print("Theme:", reading.value, reading.reason.map { "(\($0))" } ?? "(at first)")
}
try settings.set(theme, to: .dark)
try settings.write { transaction in
  try transaction.add(1, to: launches)
  try transaction.insert("harbour", into: favourites)
  try transaction.set(bestScore, to: 70)
}
try settings.set(bestScore, to: 50)
print("Best score:", try settings.value(of: bestScore))
print("Seen the tour:", try settings.value(of: hasSeenTour))

try settings.switchAccount(to: .random())
try settings.switchAccount(to: me)

let small = try replica.settings(of: .random(), limits: .iCloud)
do {
  try small.set(SettingKey(String(repeating: "k", count: 65), default: 0), to: 1)
} catch {
  if let quota = (error as? StoreError)?.quota { print(quota.used, "of", quota.allowed) }
}

let store = settings.keyValueStore()
store.set("en_GB", forKey: "language")
print(store.string(forKey: "language") ?? "", store.bool(forKey: "none"))
