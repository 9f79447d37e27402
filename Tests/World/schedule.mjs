// Virtual time, and the event loops of many tabs: one task after another, drawn from a seed.

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Tasks and timers of owners (tabs). Nothing in it looks at a clock of the machine. */
export class Schedule {
  /** Milliseconds since the world began. */
  now = 0;
  /** How many tasks have run. */
  count = 0;
  /** Called after each task, once the promises that it settled have been followed. */
  afterTask = () => {};
  #chance; #queues = new Map(); #timers = new Map(); #lastTimer = 0;

  constructor(chance) { this.#chance = chance; }

  /** Puts a task at the end of its owner's queue. */
  post(owner, work) {
    if (!this.#queues.has(owner)) this.#queues.set(owner, []);
    this.#queues.get(owner).push(work);
  }

  /** Runs `work` after a time, and again after each such time where `repeats`; gives its number. */
  begin(owner, work, milliseconds = 0, repeats = false) {
    const every = Math.max(Number(milliseconds) || 0, repeats ? 1 : 0);
    this.#timers.set(++this.#lastTimer, { owner, work, due: this.now + every, every, repeats });
    return this.#lastTimer;
  }

  end(timer) { this.#timers.delete(timer); }

  /** Drops all that an owner still has to do: it is gone. */
  forget(owner) {
    this.#queues.delete(owner);
    for (const [id, timer] of this.#timers) if (timer.owner === owner) this.#timers.delete(id);
  }

  /** When the earliest timer is due, or null. */
  get next() {
    let next = null;
    for (const { due } of this.#timers.values()) if (next === null || due < next) next = due;
    return next;
  }

  /** Runs tasks until none is left and no timer is due; `mayGoOn()` is asked before each. */
  async settle(mayGoOn = () => true) {
    for (;;) {
      await turn();
      this.afterTask();
      if (!mayGoOn()) return;
      const work = this.#task() ?? this.#dueTimer();
      if (!work) return;
      this.count += 1;
      work();
    }
  }

  /** Lets time pass up to a moment; each timer runs at its own. */
  async advance(to, mayGoOn) {
    await this.settle(mayGoOn);
    while (this.next !== null && this.next <= to) {
      this.now = Math.max(this.now, this.next);
      await this.settle(mayGoOn);
    }
    this.now = Math.max(this.now, to);
  }

  /** The next task of one of the tabs that have any: each is a process of its own. */
  #task() {
    const ready = [...this.#queues].filter(([, queue]) => queue.length);
    return ready.length ? this.#chance.one(ready)[1].shift() : null;
  }

  #dueTimer() {
    let found = null;
    for (const [id, { due }] of this.#timers) {
      if (due <= this.now && (!found || due < this.#timers.get(found).due)) found = id;
    }
    if (!found) return null;
    const timer = this.#timers.get(found);
    if (timer.repeats) timer.due += timer.every;
    else this.#timers.delete(found);
    return timer.work;
  }
}
