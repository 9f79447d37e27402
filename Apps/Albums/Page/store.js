// What the page shows, in one place: derived from the replica, the connection and the uploads.

import { Changes } from '/reunion/replica/state.js';
import { hex } from '/reunion/core/flat.js';
import { inOrder } from './layout.js';
import { fateOf } from './pictures.js';
import { recordsOf, stacked, written } from './stacks.js';
import { namesOf, unnamed } from './words.js';

/** Views read from it and hear of changes once a commit. */
export class AlbumStore extends Changes {
  /** Living photos and files without a record yet, newest first; those of the same bytes are one. */
  photos = [];
  #photos = new Map(); #hearts = new Map(); #guests = new Map();
  #tiles = new Map(); #isStale = true;

  /** `fragment` is that of the link that opened the page, where it was good. */
  constructor({ replica, connection, uploads, member, fragment }) {
    super();
    Object.assign(this, { replica, connection, uploads, member, fragment });
    const watch = (entity, keep) => {
      keep(replica.records(entity));
      replica.subscribe(entity, (records) => { keep(records); this.changed(); });
    };
    watch('photo', (records) => {
      for (const photo of records) {
        // A picture is named, and the server knows who sent it; bytes in a record were looked at by nobody.
        if (photo.alive && photo.original?.hash) this.#photos.set(photo.id, this.#shown(photo));
        else this.#photos.delete(photo.id);
      }
      this.#isStale = true;
    });
    watch('heart', (records) => {
      for (const heart of records) {
        if (!this.#hearts.has(heart.photo)) this.#hearts.set(heart.photo, new Map());
        const hearts = this.#hearts.get(heart.photo);
        if (heart.alive) hearts.set(heart.id, heart);
        else hearts.delete(heart.id);
      }
    });
    watch('guest', (records) => {
      for (const guest of records) this.#guests.set(guest.creator, guest);
    });
    watch('album', () => {});
    for (const state of [connection.state, replica.waiting]) state.subscribe(() => this.changed());
    uploads.state.subscribe(() => { this.#isStale = true; this.changed(); });
    this.settle();
  }

  /** A photo with an edit says as `shown` how it looks: `{edit, width, height}`. */
  #shown(photo) {
    if (!photo.edit || fateOf(photo)) return photo;
    try {
      const { width, height } = this.replica.core.plan(
        Number(photo.width), Number(photo.height), 0, photo.edit);
      const edited = { ...photo, shown: { edit: hex(photo.edit), width, height } };
      if (!photo.storedAt) {
        import('./edit-drawing.js').then(({ drawPreview }) => drawPreview(this, edited), () => {});
      }
      return edited;
    } catch {
      return photo; // An edit of a newer page.
    }
  }

  /** On how many devices that keep the album all of this person's are, as far as it is known. */
  copies() { return 0; }

  settle() {
    if (!this.#isStale) return;
    this.#isStale = false;
    const arriving = [...this.uploads.state.value.files.values()]
      .filter(({ id, record }) => !record && !this.#photos.has(id)).map(({ id, at, about }) => ({
        ...about, id, at, isArriving: true, creator: this.member.device,
      }));
    const { device } = this.member;
    this.photos = stacked(inOrder([...arriving, ...this.#photos.values()], device), device);
    this.#tiles = new Map(this.photos.flatMap((photo) =>
      recordsOf(photo).map(({ id }) => [id, photo])));
  }

  get album() { return this.replica.get('album', this.replica.space); }
  get name() { return this.album?.name || this.member.name || unnamed.album; }
  get isHost() { return this.member.role === 'admin'; }
  get canAdd() { return this.member.role !== 'view'; }
  get guest() {
    const guest = this.#guests.get(this.member.device);
    return guest?.alive ? guest : null;
  }

  /** The tile of which a record is. */
  photo(id) { return this.#tiles.get(id); }
  /** The names of who added a photo, each by the guest record of the same device; who has none may be `oneself`. */
  author(photo, oneself = unnamed.oneself) {
    return namesOf(recordsOf(photo).map(({ creator }) => this.nameOf(creator)
      || (creator === this.member.device ? oneself : unnamed.guest)));
  }
  /** The name that somebody gave at a device, if any. */
  nameOf(device) {
    const guest = this.#guests.get(device);
    return guest?.alive && guest.name || '';
  }
  isMine(photo) { return recordsOf(photo).some(({ creator }) => creator === this.member.device); }
  canEdit(photo) {
    return !photo.isArriving && (['admin', 'edit'].includes(this.member.role)
      || (this.canAdd && this.isMine(photo)));
  }

  /** `{count, mine}`: how many people gave a photo a heart, and this person's hearts. */
  hearts(photo) {
    const hearts = recordsOf(photo).flatMap(({ id }) => [...this.#hearts.get(id)?.values() ?? []]);
    return {
      count: new Set(hearts.map(({ creator }) => creator)).size,
      mine: hearts.filter(({ creator }) => creator === this.member.device),
    };
  }

  get people() { return new Set(this.photos.flatMap(recordsOf).map(({ creator }) => creator)).size; }

  /** How things stand, for `stateLine`. */
  get standing() {
    const { preparing, keeping, elsewhere, missing, blocked } = this.uploads.state.value;
    const mine = this.photos.filter((photo) => this.isMine(photo));
    return {
      ...this.connection.state.value, preparing, keeping, elsewhere, blocked,
      // One whose preview alone is still here is not there for anybody else.
      photos: this.uploads.unsent,
      missing: missing.length,
      records: this.replica.waiting.value.records,
      mine: mine.length,
      // Of these, the ones that the server says it holds.
      safe: mine.filter((photo) => this.writtenOf(photo).storedAt).length,
      copies: this.copies(),
    };
  }

  /** The share of a photo that has been sent, or undefined where it is not waiting. */
  progress(photo) {
    const { progress } = this.uploads.state.value;
    return progress.get(recordsOf(photo).find(({ id }) => progress.has(id))?.id);
  }

  /** The record of a photo that this person writes, of which `field` is wanted. */
  writtenOf(photo, field) { return written(photo, this.member.device, field); }

  setName(name) {
    return this.replica.transaction((t) => (this.album
      ? t.set(this.album, { name }) : t.create('album', { name }, this.replica.space)));
  }
  setGuestName(name) {
    return this.replica.transaction((t) => (this.guest
      ? t.set(this.guest, { name }) : t.create('guest', { name })));
  }
  setCaption(photo, caption) {
    return this.replica.transaction((t) =>
      t.set(this.writtenOf(photo, 'caption'), { caption: caption || null }));
  }
  /** Writes an edit's bytes, or null for the photo as it was taken. */
  setEdit(photo, edit) {
    return this.replica.transaction((t) => t.set(this.writtenOf(photo, 'edit'), { edit }));
  }
  toggleHeart(photo) {
    const { mine } = this.hearts(photo);
    // One for each record: whichever of them is deleted, the photo keeps it.
    return this.replica.transaction((t) => (mine.length ? mine.forEach((heart) => t.delete(heart))
      : recordsOf(photo).forEach(({ id }) => t.create('heart', { photo: id }))));
  }
  /** Deletes what this person added of a photo, or, as the host, what others did; tells which records. */
  delete(photo) {
    const records = recordsOf(photo);
    const own = records.filter((record) => this.isMine(record));
    const deleted = own.length ? own : records;
    this.replica.transaction((t) => deleted.forEach((record) => t.delete(record)));
    return { deleted, rest: records.filter((record) => !deleted.includes(record)) };
  }
  restore(photo) { return this.replica.transaction((t) => t.restore(photo)); }
}
