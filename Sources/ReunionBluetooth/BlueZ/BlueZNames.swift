/// What BlueZ calls things on the bus.
enum BlueZNames {
  static let service = "org.bluez"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattService = "org.bluez.GattService1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let gattManager = "org.bluez.GattManager1"
  static let advertisement = "org.bluez.LEAdvertisement1"
  static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  static let properties = "org.freedesktop.DBus.Properties"
  static let objects = "org.freedesktop.DBus.ObjectManager"

  static let uses: [(RadioService.Uses, String)] = [
    (.read, "read"), (.write, "write"), (.writeWithoutResponse, "write-without-response"),
    (.notify, "notify"),
  ]
}
