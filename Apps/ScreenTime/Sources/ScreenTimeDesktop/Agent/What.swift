/// What is tracked, in the words that the tracked person sees everywhere.
enum What {
  /// On a desktop whose programs can be seen.
  static func programs(awayAfter seconds: Int64) -> String {
    let time = seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    return """
      Noted are: which program has the focus, from when to when, on which device; and when this device was last \
      in touch. Nobody is counted as there while the screen is locked, the machine sleeps, or nothing was \
      touched for \(time).
      Not noted are: titles of windows, addresses of pages, keys, pictures of the screen, sound, places, and \
      what is in files or messages.
      Your parents and you see the same. You may ask for more time, and they may give it.
      """
  }

  /// On a desktop that tells no program which others there are.
  static let presence = """
    This desktop runs Wayland, which does not tell which program has the focus. Noted is only that somebody \
    was there, from when to when, on which device: the screen was not locked, and the desktop did not say that \
    nobody is there; and when this device was last in touch.
    Your parents and you see the same. You may ask for more time, and they may give it.
    """
}
