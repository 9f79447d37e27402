import Reunion

let (folder, name) = (CommandLine.arguments[1], CommandLine.arguments[2])
let replica = try Replica(folder: folder)
if CommandLine.arguments.count > 3 {
  let link = CommandLine.arguments[3]
  if link.contains("#pair=") {
    try await replica.pair(by: link, called: name)
  } else {
    _ = try await replica.space(joining: link)
  }
}

let mine = try replica.ownSpace()
let connection = try replica.sync(mine, called: name)

let theme = SettingKey("theme", default: "light")
let changes = SettingKey("changes", default: 0, merge: .counter)
let settings = try replica.settings(of: mine)
let showing = try settings.live(theme).observe { print("Theme: \($0.value)") }
let counting = try settings.live(changes).observe { print("Changes: \($0.value)") }

while let line = readLine() {
  switch line {
  case "pair": print(try await replica.pairingLink(called: name).url)
  case "devices":
    for device in try await replica.ownDevices() {
      print("\(device.name)\(device.isThisOne ? " (this one)" : "")")
    }
  default:
    try settings.write { transaction in
      try transaction.set(theme, to: line)
      try transaction.add(1, to: changes)
    }
  }
}
try replica.close()
