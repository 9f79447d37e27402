// The table before the first round: who is there and who is ready, and the code for those who are to come.

import { ask } from '/reunion/conversation/ask.js';
import { make } from '/reunion/elements.js';
import { freeColor } from '/kit/seats.js';
import { codeImage, invitation, linkRow } from '/kit/sheets.js';
import './ready-bar.js';
import { listName, lobbyWords } from './words.js';

/** `<lobby-view>`: give it `store`. */
export class LobbyView extends HTMLElement {
  #players = make('players-strip');
  #list = make('span');
  #bar = Object.assign(make('ready-bar'), { label: lobbyWords.ready });

  connectedCallback() {
    if (this.children.length) return;
    this.#bar.store = this.store;
    const invite = invitation(async () => {
      const { url, svg } = await ask('/invite');
      return [codeImage(svg), linkRow(url, lobbyWords.link)];
    });
    this.append(make('h2', {}, lobbyWords.heading, ' · ', this.#list), this.#players, this.#bar,
      make('p.plain', {}, lobbyWords.code), invite);
  }

  show({ game }) {
    this.#list.textContent = listName(game.list);
    const seats = this.#bar.show(game);
    const bot = { id: 'bot', name: lobbyWords.bot, color: freeColor(seats), isReady: true };
    this.#players.show([...seats, ...game.hasBot ? [bot] : []].map(({ id, name, color, isReady, isMine }) => ({
      id, color, count: 0, of: 0, name: isMine ? lobbyWords.mine : name,
      about: isReady ? lobbyWords.isReady : lobbyWords.waits,
    })));
  }
}
customElements.define('lobby-view', LobbyView);
