import Foundation
import ReunionCommandLine

/// `reunion inspect`: what was caught of a session, in words.
enum InspectCommand {
  private static let help = """
    Usage: reunion inspect CAPTURE [--all] [--json]

    Says in words what two replicas said to each other, a message after the other. CAPTURE is a file,
    or - for standard input:

      a HAR file         as a browser's network panel saves it, if the panel was open when the page was
      lines              of hex or Base64, a message each; > in front where it was sent, < where received
      a message's bytes  as they are

    Of what a message holds 20 lines are shown, and with --all every one. It holds what people wrote:
    look at it before you send it to somebody. docs/protocol.md says what the messages are for.

    Exit codes: 0 all were understood, 1 it could not be read, 2 not understood, 5 some of it is no message.
    """

  static let verb = Verb("inspect", help: help, isPrivate: false) { arguments, output, _ in
    let linesMax = arguments.take("--all") ? Int.max : 20
    let path = try arguments.rest(1...1, or: "Say which capture; - is standard input.")[0]
    let capture = try Capture(try InputFile(path).rest(bytesMax: Capture.bytesMax))
    var words = SpokenMessages(linesMax: linesMax)
    var faults = 0
    for (index, frame) in capture.frames.enumerated() {
      let spoken = words.next(frame)
      faults += spoken.fault == nil ? 0 : 1
      tell(spoken, of: frame, number: index + 1, since: capture.frames[0].seconds, output)
    }
    guard faults == 0 else {
      throw CommandFailure(
        5,
        "\(faults.counted("message")) of \(capture.frames.count) could not be read: of another program, or damaged."
      )
    }
  }

  private static func tell(
    _ spoken: SpokenMessages.Spoken, of frame: Capture.Frame, number: Int, since begin: Double?,
    _ output: Output
  ) {
    var fields: [String: any Sendable] = [
      "number": number, "way": frame.way.rawValue, "link": frame.link, "bytes": frame.bytes.count,
      "type": spoken.type, "words": spoken.words, "lines": spoken.lines,
    ]
    fields["seconds"] = frame.seconds
    fields["fault"] = spoken.fault
    let mark =
      switch frame.way {
      case .sent: ">"
      case .received: "<"
      case .unknown: "·"
      }
    let moment =
      frame.seconds.flatMap { now in begin.map { String(format: "%+.3f s ", now - $0) } } ?? ""
    let head =
      "\(number) \(moment)\(mark) \(spoken.type), \(frame.bytes.count.counted("byte")): \(spoken.words)"
    output.say(fields, ([head] + spoken.lines.map { "    \($0)" }).joined(separator: "\n"))
  }
}
