// Types of what Web/reunion.js exports. docs/javascript.md explains how the parts work together.

/** An id of a space or a record: 32 hexadecimal digits, in small letters. */
export type Identifier = string;

/** What the name of a field's kind stands for. */
export type Kind =
  | 'bool' | 'int' | 'double' | 'text' | 'bytes' | 'date' | 'uuid' | 'reference' | 'blob'
  | 'counter' | 'set' | 'list';

/** A field of an entity, as `/model.json` has it or as an app writes it down. */
export interface FieldSchema {
  /** Permanent: the wire carries it in place of the name. */
  number: number;
  name: string;
  /** A name, or the kind's number of docs/protocol.md. */
  kind: Kind | number;
  /** The most bytes that a value may have. */
  bytesMax?: number;
  /** What shows where nothing was written; null without it. */
  initial?: boolean | number | bigint | string;
  /** The kind of a set's elements, or of a list's items. */
  element?: Kind | number;
  /** For a reference: the number of the entity whose records it names. */
  target?: number;
  /** What becomes of the record when the one that the reference names is deleted; without it, nothing. */
  onDelete?: 'clear' | 'delete' | 'refuse';
}

/** A field that a lens reads or makes; the model may hide it. */
export interface LensEnd {
  number: number;
  kind: Kind | number;
  /** Whether it may be nothing. */
  isOptional?: boolean;
  /** What counts of a source that nobody wrote; bytes and ids are hexadecimal digits. */
  initial?: boolean | number | bigint | string;
}

/** How fields are made of fields that older versions write. The guide models.md has what the words do. */
export interface LensSchema {
  sources: LensEnd[];
  targets: LensEnd[];
  /** What another word says refuses every value, so that each field shows what was written into it. */
  by: ['same'] | ['text'] | ['number'] | ['times' | 'over', number | bigint | string] | ['scale', number]
    | ['separator', string] | ['cases', [boolean | number | bigint | string, boolean | number | bigint | string][]]
    | ['custom'];
  /** Whether a target that somebody wrote stays, whatever is written into the sources. */
  fills?: boolean;
}

/** An entity: its number is permanent, as those of its fields are. */
export interface EntitySchema {
  number: number;
  name: string;
  fields: FieldSchema[];
  lenses?: LensSchema[];
}

/** Bytes that are kept outside a record, named by their SHA-256. */
export interface BlobName {
  hash: string;
  size: number;
}

/**
 * A value of a field. A date is milliseconds since 1970; an integer beyond 2^53 is a bigint; a UUID
 * and a reference are 32 hexadecimal digits; a small blob is its bytes, and a large one its name.
 */
export type SingleValue = boolean | number | bigint | string | Uint8Array | BlobName | null;

/** What a set or a list holds. */
export type Element = boolean | number | bigint | string | Uint8Array;

/**
 * What a record shows of a field: a counter is a number, or a bigint beyond 2^53; a set is a `Set` that tells
 * equal bytes and dates apart from others, and a list is an array, both of which only `Transaction.edit` changes.
 */
export type Value = SingleValue | ReadonlySet<any> | readonly any[];

/** What every record has beside its fields. */
export interface RecordFacts {
  readonly id: Identifier;
  /** The entity's name. */
  readonly entity: string;
  /** The device that made the record, or null where that is not known. */
  readonly creator: string | null;
  /** False once the record is deleted. */
  readonly alive: boolean;
}

/** A record as it stands, frozen. Name its fields in `Fields`: `Record<{ text: string | null }>`. */
export type Record<Fields = { [name: string]: Value }> = RecordFacts & Readonly<Fields>;

/** What a record is known by. */
export interface RecordName {
  entity: string;
  id: Identifier;
}

/** Fields by their names; dates may be `Date` as well. What a set or a list should hold is any iterable. */
export interface Values {
  [name: string]: SingleValue | Date | Iterable<Element | Date> | undefined;
}

/** A counter that a transaction changes. What devices add while they are apart adds up. */
export interface CounterDraft {
  /** What it counts, with what this transaction has added. */
  readonly value: number | bigint;
  valueOf(): number | bigint;
  /** Adds a whole number, which may be negative; 1 without it. */
  add(amount?: number | bigint): void;
}

/** A set that a transaction changes. What others add while it is removed here stays. */
export interface SetDraft<E = any> extends Iterable<E> {
  readonly size: number;
  has(element: E): boolean;
  /** Adds an element. Adding it again protects it from removals that others make meanwhile. */
  add(element: E): this;
  /** Removes an element; false where it is not there. */
  remove(element: E): boolean;
}

/** A list that a transaction changes. What an item holds never changes: remove it, and insert another. */
export interface ListDraft<E = any> extends Iterable<E> {
  readonly length: number;
  /** The item at an index; from the end where that is negative. */
  at(index: number): E | undefined;
  /** The index of the first item that holds a value, or -1. */
  indexOf(value: E): number;
  /** Inserts an item before the one at an index, or at the end without one. */
  insert(value: E, index?: number): void;
  /** Moves an item; `to` is its index afterwards. Where two devices move it, the later move counts. */
  move(from: number, to: number): void;
  /** Removes the item at an index, for good. */
  remove(index: number): void;
}

/** An error of `ask`. */
export interface AskError extends Error {
  /** The HTTP status. */
  status: number;
  /** `lapsed` or `put-out`, where this device was here before. */
  standing?: string;
}

/**
 * Asks the server for JSON; with a body by POST, where `method` names no other. Where the answer is
 * empty it is null.
 *
 * Rejects with an `AskError` where the server answers with an error, whose sentence it has, and with a
 * `TypeError` where it does not answer, or something else does in its place.
 */
export function ask<Answer = any>(path: string, body?: unknown, method?: string): Promise<Answer>;

/** The answer to a question. It is kept in `localStorage` under the name, for when there is none. */
export function remembered<Answer>(name: string, question: () => Promise<Answer>): Promise<Answer>;

/** How long to wait before attempt `attempt`, which counts from 0, in milliseconds. */
export function backoff(
  attempt: number, options?: { first?: number; most?: number; random?: () => number },
): number;

/** A SHA-256 over bytes that come in pieces. */
export interface Hasher {
  update(bytes: Uint8Array): void;
  /** The 32 bytes of the hash. */
  finish(): Uint8Array;
}

/** How a picture is drawn: take the source's pixels, scale them, and turn them clockwise `turns` times. */
export interface PicturePlan {
  width: number;
  height: number;
  turns: number;
  source: { x: number; y: number; width: number; height: number };
}

/** Merge, clocks and hashes: ReunionCore as WebAssembly. */
export interface Core {
  hasher(): Hasher;
  /** `longEdge` of 0 keeps the size; `edit` holds the bytes of an edit (the guide images.md). */
  plan(width: number, height: number, longEdge?: number, edit?: Uint8Array): PicturePlan;
}

/** Starts the core from a URL or from bytes. */
export function openCore(source: string | URL | Uint8Array): Promise<Core>;

/** The names, numbers and kinds of entities and fields. */
export class Model {
  /**
   * The module of a model's file, what `/model.json` answers, or what an app writes down. Where it names a minimum
   * reader, the first action in a space has older pages and apps hear of it.
   */
  constructor(schema: { entities: EntitySchema[]; version?: number; minimumReader?: number });
  /** The name of an entity's number. */
  nameOf(number: number): string | undefined;
}

/** A new record id, ordered by time. */
export function newRecordID(milliseconds?: number): Identifier;

/** What one user action writes. */
export interface Transaction {
  /**
   * Makes a record and returns its id. Fields that `values` does not name become null; a counter, a set or
   * a list begins with what it names.
   *
   * Throws for a field that the entity does not have, for a value that is over the model's limit, and with the `code`
   * `invalidValue` for a value that the field cannot hold and for what is no id. Then nothing of it is written.
   */
  create(entity: string, values?: Values, id?: Identifier): Identifier;
  /**
   * Writes some fields of a record, and leaves the others alone. Of a counter, a set or a list it writes the
   * changes that lead to the value, so that what others write meanwhile stays. Throws as `create` does.
   */
  set(record: RecordName, values: Values): void;
  /**
   * What this transaction changes of a record, by the names of its fields: what is read has what was written,
   * a field of one value is set, and a counter, a set or a list has methods. `Fields` is the type of it, such as
   * `ErrandDraft` of a module that was made of a model. It is there where the model has a counter, a set or a list.
   */
  edit<Fields = { [name: string]: any }>(record: RecordName): RecordName & Fields;
  /**
   * Deletes a record, and does to those that name it what the model says. If somebody edits it elsewhere
   * meanwhile, it comes back whole. Throws where another record refuses; then nothing of it is done.
   */
  delete(record: RecordName): void;
  /** Brings a deleted record back as it was. */
  restore(record: Record<any>): void;
  /**
   * Writes cells to a record of no model, as `Settings` does: `stage` gets what is held when the
   * transaction is performed, and gives what it writes. It may throw; then nothing is written.
   */
  stage(
    entityNumber: number, id: Identifier,
    stage: (held: Uint8Array, about: {
      core: Core; site: string; stamp: bigint; seq: bigint;
    }) => { cells: object[]; seq: bigint }): void;
}

/** What is held of a record as it is stored: whether it lives, and its cells (docs/protocol.md). */
export interface CellRow {
  readonly id: Identifier;
  readonly alive: boolean;
  readonly cells: Uint8Array;
}

/** A browser's copy of a space: in IndexedDB, and in memory for reading. */
export class Replica {
  private constructor();
  /**
   * Opens the copy of a space for a device, both as the server names them, and reads it. Rejects where the
   * model has counters, sets or lists and the core is the small one.
   */
  static open(options: {
    space: Identifier; device: string; model: Model; core: Core;
  }): Promise<Replica>;

  readonly space: Identifier;
  readonly device: string;
  readonly model: Model;
  readonly core: Core;
  /** How many records have changes that only this browser holds. */
  readonly waiting: State<{ records: number }>;
  /**
   * What this browser kept of the space and could not read when it was opened, as its place says. It is gone: what the
   * server has of it comes again, and what was not sent yet is lost.
   */
  readonly unreadable: { code: 'unreadable'; entity: string; id: string }[];

  /** A record, also a deleted one; undefined where nothing is known of it. */
  get<Fields = { [name: string]: Value }>(
    entity: string, id: Identifier): Record<Fields> | undefined;
  /** All living records of an entity, in no particular order. */
  records<Fields = { [name: string]: Value }>(entity: string): Record<Fields>[];
  /**
   * Calls the listener once a commit with the records of an entity that changed, deleted ones too.
   * Returns the function that ends it.
   */
  subscribe<Fields = { [name: string]: Value }>(
    entity: string, listener: (records: Record<Fields>[]) => void): () => void;
  /** What is held of the records of an entity that is no model's. */
  cellsOf(entityNumber: number): CellRow[];
  /** What is held of one such record; undefined where nothing is. */
  cells(entityNumber: number, id: Identifier): CellRow | undefined;
  /** Calls the listener once a commit with what changed of such an entity. An entity has one listener. */
  subscribeCells(
    entityNumber: number, listener: (changes: (CellRow & { before?: CellRow })[]) => void): void;
  /** Whether a server has brought anything here yet. */
  readonly hasSynced: boolean;
  /** Calls the listener after each commit of this browser, of another tab too. */
  onCommit(listener: (commit: { rows: boolean }) => void): void;
  /**
   * Performs one user action, whole or not at all. What `body` writes is on the disk when the promise
   * resolves, with what `body` returned; only then do subscribers hear of it.
   */
  transaction<Result>(body: (transaction: Transaction) => Result): Promise<Result>;
}

/** The kind of a setting, or of the elements of a set. A number has to say its own. */
export type SettingKind =
  | 'bool' | 'int' | 'double' | 'text' | 'bytes' | 'date' | 'uuid' | 'reference';

/** How writes of devices that are apart come together (the guide settings.md). */
export type SettingMerge =
  | 'latest' | 'first' | 'counter' | 'union' | 'max' | 'min' | 'or' | 'and';

/** The name of a setting with its kind, its default, and its rule. */
export class SettingKey<V> {
  /**
   * `name` has 255 bytes at most; `default` is never written. A text, a truth value and bytes say
   * their kind by themselves; the default of a `union` is a `Set`.
   *
   * Throws where the kind is not said, or the rule is not for it.
   */
  constructor(name: string, about: { default: V; kind?: SettingKind; merge?: SettingMerge });
  readonly name: string;
  readonly kind: SettingKind;
  readonly merge: SettingMerge;
  readonly default: V;
}

/** An error of settings. */
export interface SettingsError extends Error {
  /** `wrongCore`: this page's core is the small one, which merges `latest` alone. */
  code: 'wrongType' | 'overQuota' | 'invalidKey' | 'invalidValue' | 'wrongCore';
  /** What there would be, and what there may be, with `overQuota`. */
  quota?: { used: number; allowed: number };
}

/** Settings that are set together. It lives while the body of `Settings.write` runs. */
export interface SettingsTransaction {
  /** What a setting is, with what this transaction has done to it. */
  value<V>(key: SettingKey<V>): V;
  /** Sets a setting, as far as its rule lets it. */
  set<V>(key: SettingKey<V>, value: V): void;
  /** Adds to a counter. */
  add(key: SettingKey<number>, amount: number | bigint): void;
  /** Inserts an element into a set. */
  insert<E>(key: SettingKey<Set<E>>, element: E): void;
  /** Removes an element from a set. */
  remove<E>(key: SettingKey<Set<E>>, element: E): void;
  /** Makes a setting its default again. */
  clear(key: SettingKey<any>): void;
}

/** Why settings changed. `firstSync` brings what others wrote before this device was there. */
export type SettingsReason = 'localWrite' | 'otherDevice' | 'firstSync' | 'overQuota';

/** A person's settings: typed keys and values in a space of their own, which roam with it. */
export class Settings {
  /** Shows the settings in a replica's space; `limits` are others than `settingsLimits`. */
  constructor(
    replica: Replica, limits?: { bytesMax?: number; keysMax?: number; keyBytesMax?: number });
  /** The names of the keys that are set. */
  readonly keys: Set<string>;
  /** What is taken up. */
  readonly usage: { keys: number; bytes: number };
  /**
   * What a setting is: what was set, or the key's default.
   *
   * Throws a `SettingsError` where it was written with another type or rule.
   */
  value<V>(key: SettingKey<V>): V;
  /**
   * Sets settings together: all of them are on the disk when the promise resolves, with what `body`
   * returned, or none is.
   *
   * Rejects with a `SettingsError`.
   */
  write<Result>(body: (transaction: SettingsTransaction) => Result): Promise<Result>;
  /** Sets one setting; like `write`. */
  set<V>(key: SettingKey<V>, value: V): Promise<void>;
  /** Adds to one counter. */
  add(key: SettingKey<number>, amount: number | bigint): Promise<void>;
  /** Inserts an element into one set. */
  insert<E>(key: SettingKey<Set<E>>, element: E): Promise<void>;
  /** Removes an element from one set. */
  remove<E>(key: SettingKey<Set<E>>, element: E): Promise<void>;
  /** Makes one setting its default again. */
  clear(key: SettingKey<any>): Promise<void>;
  /**
   * Calls the listener now, with no reason, and after each change. Returns the function that ends it.
   */
  subscribe<V>(
    key: SettingKey<V>,
    listener: (change: { value: V; reason: SettingsReason | null }) => void): () => void;
  /**
   * Calls the listener after each change with the names of the keys. `overQuota` says that a write was
   * refused or, with no keys, that devices wrote more than there is room for; all of it is kept.
   */
  onChange(
    listener: (change: { keys: Set<string>; reason: SettingsReason }) => void): () => void;
}

/** The limits: the bytes of all values, keys, the bytes of a key, and those of one value. */
export const settingsLimits: Readonly<{
  bytesMax: number; keysMax: number; keyBytesMax: number; valueBytesMax: number;
}>;

/** How a connection stands: `online` has caught up, and `out` is no member any more. */
export type Phase = 'off' | 'connecting' | 'online' | 'offline' | 'out';

/** The conversation with the server that the page came from. */
export class Connection {
  constructor(replica: Replica);
  /** `isBlocked`: the server answers, and something keeps the page from staying connected to it. */
  readonly state: State<{ phase: Phase; isBlocked: boolean }>;
  /** Whether the server answers. */
  readonly isMet: boolean;
  /** Called with a sentence for the person. */
  onnotice: (sentence: string) => void;
  /**
   * Called with the records whose changes the server refused; they have been taken back. `sentence` is
   * what its rule says, and empty if the role or a limit does not allow the change.
   */
  onrefused: (records: { entity: number; id: Identifier; sentence: string }[]) => void;
  /** Called with the hashes of blobs that the server has now. */
  onhave: (hashes: string[]) => void;
  /** Called when the server answers, before anything is sent to it. */
  onmet: () => void;
  /** Whether changes may be sent now. Call `push` when they may again. */
  mayPush: () => boolean;
  /** What devices show each other, once a `Presence` is made. */
  presence: Presence | null;
  /** Where what was written is by now, once a `Standing` is made. */
  standing: Standing | null;
  /** Sends what a `Presence` or a `Standing` tells; false where the link is slow. */
  show(bytes: Uint8Array): boolean;
  /** The longest pause between two tries to reach the server, 30,000 unless set. */
  pauseMillisecondsMax: number;
  /** Connects, and tries again until `stop`. */
  start(): void;
  stop(): void;
  /** Sends what has been committed. A connection does so by itself unless `mayPush` said no. */
  push(): void;
}

/** What devices may show: a text, a number, a truth value, a date or bytes, of at most 1 KiB. */
export type Shown = string | number | bigint | boolean | Date | Uint8Array;

/**
 * What the devices that are connected in a space show each other: who is here, where a finger is, who types. Nothing
 * of it is stored, and it is gone with the connection.
 */
export class Presence {
  /** One for each connection. */
  constructor(connection: Connection);
  /** What each other device shows, by its number as sixteen digits, and by key. */
  readonly others: State<{ devices: ReadonlyMap<string, ReadonlyMap<string, unknown>> }>;
  /** Called with what another device sends once. */
  onmessage: (message: { device: string; key: string; value: unknown }) => void;
  /**
   * Shows a value under a key of at most 64 bytes; null for nothing any more. It goes out within 33 ms, and again when
   * the page is back online. Throws a RangeError for a seventeenth key and what is too large.
   */
  show(key: string, value: Shown | null): void;
  /** Sends something once, to those who are connected now. */
  send(key: string, value: Shown): void;
  /** For the connection. */
  began(): void;
  ended(): void;
  heard(bytes: Uint8Array): void;
}

/** How far a full copy has come, in arrivals of the server. */
export interface ReplicaStanding {
  /** The number of its device, as sixteen digits; zeros for the server. */
  device: string;
  /** The arrival up to which it has everything on its disk. */
  changes: number;
  /** The one up to which it has all blobs as well, but for those that are missing. */
  blobs: number;
  /** The hashes of the blobs that it lacks. */
  missing: readonly string[];
}

/** Where what this browser wrote is by now: on the server's disk, and on those of other devices. */
export class Standing {
  /** One for each connection, and its replica. */
  constructor(connection: Connection, replica: Replica);
  /**
   * What the server said last, at most once a second; `isKnown` says whether it is there. `acknowledged` is the last
   * change of this browser on its disk, `arrival` where that stands there.
   */
  readonly state: State<{
    isKnown: boolean; acknowledged: number; arrival: number; server: ReplicaStanding | null;
    devices: readonly ReplicaStanding[];
  }>;
  /**
   * Where all that the replica has written is, and the blobs of these hashes, as this browser's records name them:
   * whether the server has it on its disk, and how many other devices that keep a full copy have.
   */
  reach(hashes?: readonly string[]): { isOnServer: boolean; deviceCount: number };
  /** For the connection. */
  began(): void;
  ended(): void;
  heard(bytes: Uint8Array): void;
}

/** @deprecated The name of `Connection` until version 0.3. */
export class Session extends Connection {}

/** A link by which one more device becomes a person's. Whoever opens it has all that the person has. */
export interface PairingLink {
  /** The link, for a QR code: `http://host:port/#pair=SECRET`. */
  url: string;
  /** When it opens nothing any more: ten minutes after it was made. */
  expires: Date;
}

/** What a browser has, once it was paired. */
export interface Pairing {
  /** The number under which it writes. */
  device: string;
  /** The spaces in which it has a role now, own ones last. */
  spaces: Identifier[];
}

/** One of a person's devices. */
export interface OwnDevice {
  /** The number under which it writes. */
  number: string;
  /** What the person calls it; empty if nobody named it. */
  name: string;
  /** Whether it is a replica, and no browser. */
  isReplica: boolean;
  /** Whether it is the browser that asks. */
  isThisOne: boolean;
  /** When it became the person's. */
  since: Date;
}

/**
 * This browser's person: spaces of their own, and the devices that are theirs.
 *
 * What asks the server rejects with an `AskError` where it refuses, and with a `TypeError` where it does
 * not answer.
 */
export class Person {
  private constructor();
  /** Opens what this browser knows of its person. */
  static open(options: { core: Core }): Promise<Person>;
  /**
   * The id of a space of the person's own, without a server: the same at every call with this name, and
   * on each of the person's devices once they are paired.
   */
  ownSpace(name?: string): Promise<Identifier>;
  /**
   * The connection of an own space's replica. It opens the space at the server first; where the server
   * refuses, `onnotice` has its sentence and the phase is `out`. `called` is this device's name in the
   * person's list.
   */
  connection(replica: Replica, about?: { called?: string }): Connection;
  /** @deprecated The name of `connection` until version 0.3. */
  session(replica: Replica, about?: { called?: string }): Connection;
  /**
   * The spaces of this name that were the person's own in this browser before it was paired. What is in them is for
   * the app to take into the present one, until `forgetEarlier`.
   */
  earlierSpaces(name?: string): Promise<Identifier[]>;
  /** What was in those spaces is in the present one, or is not wanted. */
  forgetEarlier(): Promise<void>;
  /** A link by which one more device becomes this person's. It takes the place of the one before. */
  pairingLink(about?: { called?: string }): Promise<PairingLink>;
  /**
   * Makes this browser one of the person whose other device shows a link. If the answer got lost, call it
   * again with the same link. `ownSpace` gives another space afterwards.
   *
   * Rejects with a `TypeError`, too, for what is no pairing link of this server.
   */
  pair(link: string, about?: { called?: string }): Promise<Pairing>;
  /** The devices of this person. */
  ownDevices(): Promise<OwnDevice[]>;
  /** Takes one of them away: it opens nothing any more at this server. What it holds it keeps. */
  remove(device: OwnDevice): Promise<void>;
  /** Forgets whose this browser is, for when somebody else uses it next. Its replicas stay. */
  forget(): Promise<void>;
}

/** Runs a connection in one tab of this browser at a time; `changed` hears whether it is this one. */
export function runInOneTab(
  replica: Replica, connection: Connection, changed?: (isHeld: boolean) => void): void;

/** A value that others watch. */
export class State<Parts extends object> {
  constructor(value: Parts);
  readonly value: Readonly<Parts>;
  /** Replaces some parts; listeners hear of it where one is now another. */
  set(parts: Partial<Parts>): void;
  /** Calls the listener now and after each change. Returns the function that ends it. */
  subscribe(listener: (value: Readonly<Parts>) => void): () => void;
  /** Calls the listeners. */
  tell(): void;
}

/**
 * Whether a space holds what a page of this version of the model is too old to read: `isNeeded`, the version
 * that it needs, and the page's own. What people write is kept and sent meanwhile.
 */
export function updateNeed(replica: Replica, model: { version: number }):
  State<{ isNeeded: boolean; needed: number; version: number }>;

/** The base of a page's store: listeners hear once of all changes that come together. */
export class Changes {
  /** Calls the listener now and after each change. Returns the function that ends it. */
  subscribe(listener: () => void): () => void;
  /** Says that something changed: `settle` runs, then listeners hear, when this turn is over. */
  changed(): void;
  /** Brings what is derived up to date. Override it. */
  settle(): void;
  /** Calls the listeners. */
  tell(): void;
}

/** How files stand that wait on this device. */
export interface UploadState<About extends Values = Values> {
  files: Map<string, UploadRow<About>>;
  /** The share that was sent, from 0 to 1, by record or row. */
  progress: Map<string, number>;
  /** How many files this page reads; how many of them would go with it. */
  preparing: number;
  keeping: number;
  /** How many another page reads; the rows of those that went with their page. */
  elsewhere: number;
  missing: UploadRow<About>[];
  /** The status by which something other than the server stops what waits; 0 where nothing does. */
  blocked: number;
}

/** A file that waits on this device. */
export interface UploadRow<About extends Values = Values> {
  id: Identifier;
  file: Identifier;
  use: 'chosen' | 'kept' | 'original' | 'preview';
  /** The record that names the file; null before there is one. */
  record?: Identifier | null;
  page?: Identifier | null;
  at: number;
  /** What the file is called. */
  name?: string;
  size: number;
  hash?: string;
  location?: string;
  /** What `about` of `UploadOptions` said of it. A preview has none. */
  about?: About;
}

/** What a server says of a file that it has. One with rules of its own looks into pictures. */
export interface UploadAnswer {
  hash: string;
  bytes: number;
  /** The upright picture's size in pixels, 0 for what is no picture; its average colour as 0xRRGGBB. */
  width: number;
  height: number;
  color: number;
  contentType: string;
  /** When the picture was taken, in milliseconds since 1970, where it says so. */
  takenAt?: number;
  /** Why the server shows nothing of it. */
  unshown?: string;
}

/** What the records of an app's files are. */
export interface UploadOptions<About extends Values = Values> {
  replica: Replica;
  /** Where the server takes files: `/uploads`. */
  url: string;
  /** The entity of the records that name the files. */
  entity: string;
  /** Its field for a file, a blob. */
  field: string;
  /** Its field for a small blob beside the file, which is sent first. Without it `prepare` gives no `preview`. */
  preview?: string;
  /** Values of the record that are known when a file is chosen. They wait with it in its row. */
  about?: (file: File) => About;
  /**
   * More of them, once the bytes of the file are kept on this device. They make its record, before the server has
   * it. Without this function, or where it gives null or rejects, a record is made when the server has its file.
   * It may be called again for a file whose page has gone meanwhile, once.
   */
  prepare?: (body: Blob, about: About) => Promise<{ values?: Values; preview?: Blob | null } | null | undefined>;
  /** Values that come to those of `about` in a record that is made when the server has its file. */
  stored?: (answer: UploadAnswer, about: About) => Values;
  /** Values for a record whose file the server will never have: a sign that nothing follows. */
  unsent?: Values;
}

/** Files on their way to the server: kept on the device until they are there. */
export class Uploads<About extends Values = Values> {
  constructor(options: UploadOptions<About>);
  /**
   * @deprecated Until version 0.3. Name `field`. Without it an entity has the fields `original`, `preview`,
   * `fileName`, `contentType`, `takenAt`, `width`, `height` and `color`, and its records come when the server has
   * their files.
   */
  constructor(options: { replica: Replica; url: string; entity: string });
  readonly entity: string;
  readonly state: State<UploadState<About>>;
  /**
   * Called with what the person should know: a file was `empty`, `large`, `refused`, `lost` on this device, or
   * here already (`twice`); it was `erased` for good before; its record stays without it (`unsent`); the server keeps
   * it and can show nothing of it (`unshown`); the server is `full`, this device is `out` of the space, or has no room
   * (`kept`); the browser could not keep it (`unkept`), or its database is `away` and asked again while the page holds
   * the file. Uploads are `blocked`: three answers in a row had the same `status`, and were none of the server, or none
   * that it takes back by itself; from then on a file tries every few minutes, and at once with `tryAgain`.
   * The app says it. `sentence` is the server's own, where it said one.
   */
  onnotice: (notice: { code: string; name?: string; sentence?: string; status?: number }) => void;
  isOnline: () => boolean;
  /** Called when an upload ended, well or not. */
  onmoved: () => void;
  /** Sends while it is true: set it in the tab that `runInOneTab` chose. */
  set isActive(isActive: boolean);
  /** Whether records should wait, because their previews are being sent. */
  readonly isSendingPreviews: boolean;
  /** How many files have something here that the server lacks. */
  readonly unsent: number;
  /** Reads what waits. */
  open(): Promise<void>;
  /** Takes files; resolves when all of them are kept and prepared. */
  add(files: Iterable<File>): Promise<void>;
  /** Reads again what another page has changed. */
  reload(): Promise<void>;
  /** Tries again at once: the connection has returned. */
  wake(): void;
  /** Tries again at once what is `blocked`, too: a person asks for it. */
  tryAgain(): void;
  /** Loads what sends, before the first file comes. */
  warm(): Promise<unknown>;
  /** The URL of a preview that this device made. */
  previewURL(hash: string): string | undefined;
  /** Lets go of what is missing. */
  dismiss(): Promise<void>;
  /** Gives up a file that has no record yet. */
  giveUp(id: Identifier): Promise<void>;
  /** What waits, with its bytes, for another browser. */
  waiting(): Promise<{ rows: UploadRow<About>[]; bytes: (row: UploadRow<About>) => Promise<Blob> }>;
  /** Takes a file of another browser. */
  adopt(row: UploadRow<About>, body: Blob): Promise<void>;
}

/** Hands over what waits here to a page at the server's new address: the old page's side. */
export class Handoff {
  /** Opens the link in a window of its own. Throws a `TypeError` where the link has no secret. */
  constructor(options: {
    link: string; replica: Replica; uploads: Uploads;
    changed: (state: { phase: HandoffPhase; left?: number }) => void;
  });
}

/** How a hand-off stands. */
export type HandoffPhase =
  | 'opening' | 'offered' | 'done' | 'declined' | 'failed' | 'other' | 'blocked' | 'closed';

/** Takes over what waits at an old page, once its person agrees: the new page's side. */
export function receiveHandoff(options: {
  replica: Replica; uploads: Uploads; secret: string; caughtUp: Promise<unknown>;
  ask: (offer: { origin: string; files: number; changes: number }) => Promise<boolean>;
}): void;

/** What `make` and its kin put into an element. */
export interface Properties {
  [name: string]: unknown;
}

/** Makes an element: `make('button.quiet', { type: 'button', onclick }, 'Text', child)`. */
export function make(
  selector: string, properties?: Properties, ...children: (Node | string | null | undefined)[]
): HTMLElement;

/** Sets a text where it is another. */
export function say(element: Element, text: string): void;

/** Draws on 24 by 24 units: `draw('ring', ['circle', { cx: 12, cy: 12, r: 9 }])`. */
export function draw(
  name: string, ...shapes: [tag: string, attributes: Properties, ...children: Node[]][]
): SVGElement;

/** A line icon of one path. */
export function icon(path: string): SVGElement;

/** A button that shows an icon and is called by its label. */
export function iconButton(
  path: string, label: string, onclick: (event: Event) => void, classes?: string): HTMLElement;
