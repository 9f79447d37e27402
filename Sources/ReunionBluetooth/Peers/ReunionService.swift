/// The service by which two devices of this library find each other, and its characteristics.
///
/// It is the same everywhere: it says "a Reunion device is here", and no more.
public enum ReunionService {
  /// The service.
  public static let id = BluetoothID(high: 0x6f1d_0c40_52a7_4b1e, low: 0x9c35_e2a8_04d7_61b2)
  /// What the device that connects writes, without an answer.
  public static let inward = BluetoothID(high: 0x6f1d_0c41_52a7_4b1e, low: 0x9c35_e2a8_04d7_61b2)
  /// What the device that was found tells.
  public static let outward = BluetoothID(high: 0x6f1d_0c42_52a7_4b1e, low: 0x9c35_e2a8_04d7_61b2)

  static let service = RadioService(
    id,
    [
      RadioService.Characteristic(inward, [.write, .writeWithoutResponse]),
      RadioService.Characteristic(outward, .notify),
    ])
}
