import Foundation
import Reunion
import ReunionMedia
import ReunionServer

/// Takes photos in: checks them, makes renditions, and says in their records that they are safe.
///
/// *Thread*: any.
final class PhotoPipeline: Sendable {
  static let originalBytesMax: UInt64 = 100_000_000

  let album: AlbumFolder
  private let renditions: Renditions
  /// Previews have a worker of their own, so that they do not wait for originals.
  private let previewer = ImageRenderer()
  /// Originals that came before the record that names them, and what is known of them. What is too many
  /// is found by catching up.
  private static let earlyMax = 1_000
  private let early = Variable<[BlobReference: UploadFacts]>([:])
  /// Uploads that are just ending mark their photos themselves.
  private let catchingUp = Sweep(after: .seconds(1))
  private let tidying = Sweep(after: .seconds(900))
  private let allowance: GuestAllowance
  let rendering: HourlyAllowance

  init(
    album: AlbumFolder, renditions path: String, allowance: GuestAllowance,
    rendering: HourlyAllowance
  ) throws {
    self.album = album
    self.allowance = allowance
    self.rendering = rendering
    renditions = try Renditions(in: path)
  }

  /// Marks photos whose record comes after their original, until the result is released.
  func watch() -> SignalSubscription {
    album.store.observeCommits { [weak self] commit in
      guard let self, commit.space == album.space,
        commit.entities.contains(Photo.schema.number)
      else { return }
      let changed = commit.changed(Photo.self) ?? []
      Task {
        self.markEarly(changed)
        await self.catchingUp.ask { [weak self] in await self?.catchUp() }
      }
      Task { await self.tidying.ask { [weak self] in self?.tidy() } }
    }
  }

  /// The rules by which the server takes uploads.
  var rules: UploadRules {
    UploadRules(
      byteCountMax: { isOriginal in isOriginal ? Self.originalBytesMax : 128 * 1024 },
      allowance: allowance,
      check: { path, hash, isOriginal, sender in
        try await self.check(path, hash, isOriginal: isOriginal, by: sender)
      },
      stored: { blob, facts, isOriginal in
        guard isOriginal, try !self.markStored(blob, facts) else { return }
        self.early.update { if $0.count < Self.earlyMax { $0[blob] = facts } }
        // The record may have come between the two.
        self.markEarly(blob, facts)
      })
  }

  private func check(
    _ path: String, _ hash: BlobHash, isOriginal: Bool, by sender: Sender
  ) async throws -> UploadFacts {
    if isOriginal { return try await renditions.make(of: hash, at: path, by: sender) }
    do throws(ImageError) {
      let preview = try await previewer.check(
        preview: path, by: sender.device, in: sender.network)
      return UploadFacts(
        width: preview.width, height: preview.height,
        contentType: preview.format.contentType, color: Int(preview.placeholder))
    } catch {
      throw UploadError(error)
    }
  }

  /// Deletes what was made of photos that are deleted now.
  func tidy() {
    // What cannot be read now is asked again after the next change.
    try? renditions.sweep { try isShown($0, $1) }
  }

  /// The file of a rendition, made now where the original is here and it was not made yet.
  func rendition(_ wanted: Rendition, from network: UInt64) async throws -> String? {
    let file = renditions.file(wanted)
    // What was deleted or edited again is not shown any more, to anybody who kept its name.
    guard let device = try shower(of: wanted.original, wanted.edit) else { return nil }
    if FileManager.default.fileExists(atPath: file.path) { return file.path }
    guard try album.store.blobs.contains(wanted.original), try !isOnlyKept(wanted.original) else {
      return nil
    }
    let original = album.store.blobs.path(of: wanted.original)
    if wanted.size == .full {
      try await renditions.makeFull(wanted, at: original)
    } else {
      _ = try await renditions.make(
        of: wanted.original, wanted.edit, at: original,
        by: Sender(device: device, network: network)
      ) {
        try charge(wanted.original, to: device)
      }
    }
    return FileManager.default.fileExists(atPath: file.path) ? file.path : nil
  }

  /// Writes in the photos' records that their original is safe, and what the picture told; false
  /// where no record names it yet.
  @discardableResult
  private func markStored(_ blob: BlobReference, _ facts: UploadFacts) throws -> Bool {
    let named = Query<Photo>(in: album.space).filter(\.original == blob)
    let photos = try album.store.fetch(named).filter { try isSent($0) }
    guard photos.contains(where: { $0.storedAt == nil }) else { return !photos.isEmpty }
    // Asked before anybody else learns their names.
    for named in photos.compactMap(\.preview) { _ = try isNamed(named.hash, as: .preview) }
    var preview: BlobReference?
    if photos.contains(where: { $0.preview == nil }),
      let bytes = try? Data(
        contentsOf: renditions.file(Rendition(of: blob.hash, size: .longEdge(320))))
    {
      preview = try album.store.blobs.add(Array(bytes), in: album.space)
    }
    let sent = Set(photos.map(\.id))
    // Read again in the transaction: what somebody wrote meanwhile stays as it is.
    try album.store.annotate(in: album.space) { [preview] transaction in
      for var photo in try transaction.fetch(named)
      where photo.storedAt == nil && sent.contains(photo.id) {
        photo.storedAt = Date()
        // The phone may know more of a picture that cannot be shown.
        if facts.isShown { (photo.width, photo.height) = (facts.width, facts.height) }
        photo.contentType = facts.contentType
        if let taken = facts.takenMilliseconds {
          photo.takenAt = Date(timeIntervalSince1970: Double(taken) / 1000)
        }
        if photo.color == 0 { photo.color = facts.color }
        if photo.preview == nil { photo.preview = preview }
        try transaction.update(photo)
      }
    }
    return true
  }

  /// Marks those of these photos whose original has come before them.
  private func markEarly(_ photos: [RecordID]) {
    guard !early.value.isEmpty else { return }
    for id in photos {
      guard let photo = try? album.store.fetch(Photo.self, id, in: album.space),
        let blob = photo.original, let facts = early.value[blob]
      else { continue }
      markEarly(blob, facts)
    }
  }

  private func markEarly(_ blob: BlobReference, _ facts: UploadFacts) {
    // What cannot be written now is written when all is caught up, or at the next start.
    if (try? markStored(blob, facts)) == true { early.update { $0[blob] = nil } }
  }

  /// Marks photos whose original is here and whose record does not say so: the one came before the
  /// other, and the album ended in between.
  func catchUp() async {
    let waiting = try? album.store.fetch(Query<Photo>(in: album.space).filter(\.storedAt == nil))
    let here = (waiting ?? []).filter { photo in
      photo.original.map { (try? album.store.blobs.contains($0.hash)) == true } ?? false
    }
    for original in Set(here.filter { (try? isSent($0)) == true }.compactMap(\.original)) {
      // What is no picture stays unmarked; what failed for now is tried at the next commit.
      guard let facts = try? await facts(of: original.hash) else { continue }
      // What cannot be written now is written at the next commit or start.
      _ = try? markStored(original, facts)
    }
  }

  /// What is known of an original that is here, from when it came or by decoding it. Its preview is
  /// made if there is none. Decoding is charged to the device that names it.
  private func facts(of hash: BlobHash) async throws -> UploadFacts {
    let preview = renditions.file(Rendition(of: hash, size: .longEdge(320)))
    if let known = try album.access.facts(of: hash, as: .original),
      !known.isShown || FileManager.default.fileExists(atPath: preview.path)
    {
      return known
    }
    let device = try namer(of: hash, as: .original) ?? 0
    return try await renditions.make(
      of: hash, at: album.store.blobs.path(of: hash), by: Sender(device: device)
    ) { try charge(hash, to: device) }
  }

  /// Whether guests may have a blob: the previews, and not the originals.
  func mayRead(_ hash: BlobHash) -> Bool {
    (try? isNamed(hash, as: .preview)) == true
  }
}

/// Does one thing at a time, a while after it was asked for, and once for all who ask meanwhile.
private actor Sweep {
  private let pause: Duration
  private var isWaiting = false
  private var isRunning = false

  init(after pause: Duration) { self.pause = pause }

  func ask(_ work: @Sendable () async -> Void) async {
    guard !isWaiting else { return }
    isWaiting = true
    repeat { try? await Task.sleep(for: pause) } while isRunning
    isWaiting = false
    isRunning = true
    await work()
    isRunning = false
  }
}
