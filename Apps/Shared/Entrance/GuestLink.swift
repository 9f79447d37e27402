import Foundation
public import ReunionServer
import ReunionFlow
import ReunionMedia

/// The guests' link of an app, which its terminal, its pages and its host show.
///
/// Only the link's hash is kept, so every start makes a link of its own; the older ones go on to work.
///
///     let guests = try GuestLink(to: spaces.access)
///     guests.offer(in: &configuration, title: "QR code that opens these notes")
///     let service = try AppService(spaces, configuration, options.server)
///     try service.start()
///     ServerProgram.say(
///       service.banner(try guests.links(at: service).lines("Notes"), risk: "listen in"))
///
/// *Thread*: any. *Durability*: the link is on disk when it is made, as `Access` has it.
public final class GuestLink: Sendable {
  private let access: Access
  private let role: Role
  private let kept: Variable<String>
  private let isFirstStart: Bool

  /// Makes a link that gives those who open it a role.
  ///
  /// - Throws: `StoreError` if the store cannot be written.
  public init(to access: Access, as role: Role = .add) throws {
    (self.access, self.role) = (access, role)
    isFirstStart = try access.isUnused
    kept = Variable(try access.invite(role))
  }

  /// The part of the link after `#join=`. The host may replace it at any time.
  public var secret: String { kept.value }

  /// Lets a server show the link to those who are in, with a QR code of that title, and lets its
  /// host replace it.
  public func offer(in configuration: inout Server.Configuration, title: String) {
    let (access, role, kept) = (access, role, kept)
    configuration.invitation = { origin in
      let url = origin.link(kept.value)
      let code = try? QRCode.matrix(of: url)
      return (url, code?.svg(title: title) ?? "")
    }
    configuration.renewInvitation = { kept.value = try access.renewInvitations(role) }
  }

  /// The links to a server that listens. Makes one for the owner if nobody had come in before this
  /// start, or as `invitesOwner` says.
  ///
  /// - Throws: `StoreError` if the store cannot be written.
  public func links(at service: AppService, invitesOwner: Bool? = nil) throws -> AppLinks {
    let owner = try invitesOwner ?? isFirstStart ? access.inviteOwner() : nil
    return AppLinks(
      guests: service.shared.link(secret), here: service.here.link(secret),
      owner: owner.map { service.shared.link($0) })
  }
}
