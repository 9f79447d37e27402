// The album: its name, how things stand, the photos, and the ways to add some.

import { icon, iconButton, make, say } from '/reunion/elements.js';
import { announce, noticeArea, notify } from '/kit/notices.js';
import * as icons from './icons.js';
import './photo-grid.js';
import { invite } from './membership.js';
import { recordsOf, tilesOf } from './stacks.js';
import {
  albumWords, buttons, countLine, inviteLabel, menuLabel, nameLabel, notLoaded, stateLine,
} from './words.js';

const undoMilliseconds = 10_000;
const briefMilliseconds = 300;
const skipped = 'reunion-name-skipped';

/** `<album-page>`: give it `store` before it is connected. */
export class AlbumPage extends HTMLElement {
  #name = make('h1', { dir: 'auto' });
  #edit = iconButton(icons.edit, albumWords.editName,
    () => this.#load('sheets', ({ lineForm }) => this.#editName(lineForm)), '.plain');
  #title = make('.title', {}, this.#name, this.#edit);
  #count = make('p.count');
  #line = make('span');
  #state = make('p.state', { role: 'status' }, this.#line);
  #file = make('input', {
    type: 'file', accept: 'image/*', multiple: true, hidden: true,
    onchange: () => this.#choose(),
  });
  #add = make('button.primary.add', { type: 'button', onclick: () => this.#file.click() },
    icon(icons.add), make('span', {}, albumWords.add));
  #grid = make('photo-grid');
  #viewer = make('photo-viewer');
  #pill = make('button.pill', {
    type: 'button', hidden: true,
    onclick: () => {
      scrollTo({ top: 0 });
      this.#grid.release();
      this.#grid.focusPhoto(this.#grid.photos[0]?.id);
    },
  });
  #empty = make('.empty', { hidden: true });
  #card = make('.card', { hidden: true });
  #missing = make('section.card', { hidden: true });
  #seen = null; #telling = 0; #deleted;

  connectedCallback() {
    const { store } = this;
    Object.assign(this.#grid, { store });
    Object.assign(this.#viewer, { store, photos: () => this.#grid.photos });
    this.#grid.addEventListener('open', ({ detail }) =>
      this.#load('viewer', () => this.#viewer.open(detail)));
    this.#grid.addEventListener('held', () => {
      this.#pill.hidden = !this.#grid.held;
      this.#pill.textContent = albumWords.news(this.#grid.held);
    });
    this.#viewer.addEventListener('closed', ({ detail }) => this.#grid.focusPhoto(detail));
    this.#viewer.addEventListener('deleted', ({ detail }) => this.#tellDeleted(detail));
    this.append(
      make('header.top', {}, make('.heading', {}, this.#title, this.#count),
        make('.acts', {}, this.#add,
          iconButton(icons.code, inviteLabel,
            () => this.#load('menu', ({ openInvite }) => openInvite())),
          iconButton(icons.menu, menuLabel,
            () => this.#load('menu', ({ openMenu }) => openMenu(store))))),
      make('main', {}, this.#state, this.#missing, this.#card, this.#empty, this.#grid),
      this.#pill, this.#file, noticeArea(), this.#viewer);
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      if (store.canAdd && !this.#add.disabled) this.#take(event.dataTransfer.files);
    });
    addEventListener('newguestslink', () => {
      // An empty album shows the code.
      this.#empty.hidden = true;
      this.update();
    });
    store.subscribe(() => this.update());
  }

  // What is loaded later in the visit.
  viewer() { return import('./photo-viewer.js'); }
  sheets() { return import('/kit/sheets.js'); }
  menu() { return import('./menu.js'); }
  missing() { return import('./missing.js'); }

  /** Does something with one of these, as soon as it is there. */
  #load(later, act) { this[later]().then(act, () => notify(notLoaded)); }

  update() {
    const { store } = this;
    const { photos } = store;
    if (!this.#title.contains(document.activeElement) || !this.#title.editing) {
      say(this.#name, store.name);
    }
    if (document.title !== store.name) document.title = store.name;
    this.#edit.hidden = !store.isHost;
    say(this.#count, countLine(photos.length, store.people));
    const { standing } = store;
    // A change that the server takes in a blink is no news.
    const isBrief = standing.phase === 'online' && standing.records && !standing.photos
      && !standing.elsewhere && !standing.missing;
    if (!isBrief) this.#tellState();
    else this.#telling ||= setTimeout(() => this.#tellState(), briefMilliseconds);
    this.#add.hidden = !store.canAdd;
    this.#add.disabled = standing.phase === 'out';
    this.classList.toggle('can-add', store.canAdd);
    this.#showEmpty(!photos.length && standing.phase !== 'connecting' && !standing.preparing);
    this.#grid.update();
    this.#viewer.update?.();
    this.#showMissing();
    this.#askName();
    this.#tellNew(photos);
  }

  /** One sentence on how things stand; its dot is green only where nothing waits. */
  #tellState() {
    clearTimeout(this.#telling);
    this.#telling = 0;
    const { standing } = this.store;
    const { phase, photos, preparing, keeping, elsewhere, missing, records } = standing;
    say(this.#line, stateLine(standing));
    this.#state.dataset.phase = keeping || elsewhere ? 'keeping'
      : ['offline', 'out'].includes(phase) ? 'offline' : photos || preparing || records ? 'sending'
        : missing ? 'missing' : 'safe';
  }

  /** Tells of a photo's deleted records, and of those before it that can still be brought back. */
  #tellDeleted({ deleted, rest }) {
    const photos = [...this.#deleted?.isConnected ? this.#deleted.photos : [], ...deleted];
    const text = rest.length ? albumWords.deletedOwn(this.store.author({ records: rest }))
      : albumWords.deleted(tilesOf(photos));
    this.#deleted = notify(text, {
      label: buttons.undo, milliseconds: undoMilliseconds, act: () => this.#undo(photos),
      more: this.store.isHost && !rest.length && {
        label: albumWords.forGood,
        act: () => import('./host.js').then(
          ({ deleteForGood }) => deleteForGood(photos, () => this.#undo(photos)),
          () => notify(notLoaded)),
      },
    });
    this.#deleted.photos = photos;
  }

  /** Brings deleted photos back, before the eyes of whoever looks at another by now. */
  async #undo(photos) {
    await Promise.allSettled(photos.map((photo) => this.store.restore(photo)));
    const { id } = photos.pop();
    this.#grid.release();
    if (this.#viewer.isOpen) this.#viewer.open(id);
    else this.#grid.focusPhoto(id);
  }

  #choose() {
    this.#take(this.#file.files);
  }

  #take(files) {
    this.store.uploads.add(files);
    this.#file.value = '';
  }

  #showEmpty(isEmpty) {
    if (this.#empty.hidden === !isEmpty) return;
    this.#empty.hidden = !isEmpty;
    if (!isEmpty) return this.#empty.replaceChildren();
    const code = make('.invite');
    this.#empty.replaceChildren(icon(icons.picture), make('h2', {}, albumWords.empty),
      make('p', {}, this.store.canAdd ? albumWords.emptyForAdders : albumWords.emptyForViewers), code);
    return Promise.all([invite(), this.sheets()]).then(
      ([{ svg }, { codeImage }]) => code.append(codeImage(svg)), () => {});
  }

  /** Which of the chosen files are missing, while some are. */
  #showMissing() {
    const { missing } = this.store.uploads.state.value;
    const ids = missing.map(({ id }) => id).join();
    if (this.#missing.ids === ids) return;
    this.#missing.ids = ids;
    this.#missing.hidden = !ids;
    if (!ids) return;
    this.missing().then(({ missingFiles }) => this.#missing.replaceChildren(
      ...missingFiles(missing, {
        choose: () => this.#file.click(), dismiss: () => this.store.uploads.dismiss(),
      })), () => { this.#missing.ids = null; });
  }

  #editName(lineForm) {
    const { store } = this;
    const done = () => {
      this.#title.editing = false;
      this.#name.classList.remove('unseen');
      this.#title.replaceChildren(this.#name, this.#edit);
      this.#edit.focus();
    };
    const form = lineForm({
      label: albumWords.name, value: store.name, button: buttons.save, maxLength: 120,
      save: (name) => { store.setName(name); done(); },
      onkeydown: (event) => event.key === 'Escape' && done(),
    });
    this.#title.editing = true;
    this.#name.classList.add('unseen');
    this.#title.replaceChildren(this.#name, form);
    const input = form.querySelector('input');
    input.focus();
    input.select();
  }

  /** Asks for a name once the person has added something; it can be skipped. */
  #askName() {
    const { store } = this;
    const isWanted = store.canAdd && !store.guest && !localStorage.getItem(skipped)
      && store.standing.mine > 0;
    if (this.#card.hidden === !isWanted) return;
    this.#card.hidden = !isWanted;
    const leave = () => {
      localStorage.setItem(skipped, '1');
      this.#card.hidden = true;
      this.#add.focus();
    };
    this.#load('sheets', ({ lineForm }) => this.#card.replaceChildren(
      make('p', {}, albumWords.whoTook), lineForm({
        label: nameLabel, placeholder: nameLabel, button: buttons.save, autocomplete: 'given-name',
        save: (name) => { store.setGuestName(name); this.#add.focus(); },
      }), make('button.quiet', { type: 'button', onclick: leave }, albumWords.skip)));
  }

  /** Tells of others' photos that come after the album was whole for the first time. */
  #tellNew(photos) {
    if (!this.#seen && this.store.standing.phase !== 'online') return;
    const ids = new Set(photos.flatMap(recordsOf).map(({ id }) => id));
    const news = photos.filter((photo) => this.#seen
      && !recordsOf(photo).some(({ id }) => this.#seen.has(id))
      && !this.store.isMine(photo)).length;
    this.#seen ??= ids;
    if (!news) return;
    announce(albumWords.arrived(news));
    clearTimeout(this.#seen.timer);
    const seen = this.#seen;
    seen.timer = setTimeout(() => { this.#seen = ids; }, 3000);
  }
}
customElements.define('album-page', AlbumPage);
