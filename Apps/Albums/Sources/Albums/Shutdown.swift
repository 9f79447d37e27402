import Dispatch
import Foundation

/// Waits for the signals that end the program.
enum Shutdown {
  /// Returns at SIGTERM or SIGINT. A second one ends the process at once.
  static func wait() {
    let done = DispatchSemaphore(value: 0)
    let sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        signal(number, SIG_DFL)
        done.signal()
      }
      source.resume()
      return source
    }
    done.wait()
    for source in sources { source.cancel() }
  }
}
