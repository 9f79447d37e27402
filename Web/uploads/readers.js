// Which pages of this browser are reading chosen files: their bytes go with the page.

const answerMilliseconds = 300;
const againMilliseconds = 4000;
const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Readers {
  #channel; #page; #known = new Set(); #heard = new Set(); #asking = null; #later = null;
  #answered;

  /**
   * - page: this page's name; isReading(): whether it holds files.
   * - changed(): another page has written rows; answered(): it is known anew who reads.
   */
  constructor({ space, page, isReading, changed, answered }) {
    this.#page = page;
    this.#answered = answered;
    this.#channel = new BroadcastChannel(`reunion-uploads-${space}`);
    this.#channel.onmessage = ({ data }) => {
      this.#known.add(data.page);
      this.#heard.add(data.page);
      if (data.ask && isReading()) this.tell();
      if (data.rows) changed();
    };
  }

  /** Whether that page was heard of: a file that it has chosen is not missing. */
  has(page) { return this.#known.has(page); }

  /** Tells the other pages that this one reads, or `{rows: true}` that it has written. */
  tell(word) { this.#channel.postMessage({ page: this.#page, ...word }); }

  /** Asks who reads; resolves when those who answer have done so. */
  ask() {
    this.#asking ??= (async () => {
      this.#heard = new Set();
      this.tell({ ask: true });
      await rest(answerMilliseconds);
      this.#known = this.#heard;
      this.#asking = null;
      this.#answered();
    })();
    return this.#asking;
  }

  /** Asks again in a while: a page can go without a word. */
  askLater() {
    this.#later ??= rest(againMilliseconds).then(() => {
      this.#later = null;
      this.ask();
    });
  }
}
