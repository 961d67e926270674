/**
 * The WebSocket of one chat room.
 *
 * When a room is entered, the service sends the newest messages and how many people are
 * there. An account is identified by its session cookie, a guest afterwards by `hello`.
 * After a lost connection `hello` also asks for what followed the last message that was
 * seen, and for what was removed since. Any other visitor gets the newest messages
 * in place of those that are shown.
 *
 * Each message that this browser sends carries a `ref` of its own and stays in a queue
 * until the service has sent it back with that ref. After a lost connection the rest of the
 * queue is sent again: the service stores a ref once, so that nothing is lost and nothing
 * is doubled. One message is on its way at a time, so that a refusal is about that one.
 *
 * A lost connection is opened again after a random part of a wait, so that the visitors of
 * an instance that stops do not all return at once. The wait grows with the time for which
 * the connection has been lost, and by half of it: an absence of 20 seconds costs at most
 * 12 more. A visitor who writes meanwhile does not wait. A page that is hidden, or without
 * a network, waits until that has changed, and then starts with a short wait again.
 */

/** A message as the service sends it. */
export interface Message {
  id: string;
  autor: string;
  body: string;
  at: string;
  /** Of a message that this browser sent. */
  ref?: string;
  mine?: boolean;
  /** The operator removed the message, whose body is empty. */
  apagada?: boolean;
}

/** Why a message was not taken. */
export interface Refusal {
  code: "auth" | "vazio" | "pago";
  /** The code of the fault that the HTTP call would answer. */
  reason?: string;
  message?: string;
  retry_after?: number;
  /** Of the message that was refused; absent when the identity was. */
  ref?: string;
}

/** What a connection reports. */
export interface Listener {
  /** Messages in their order, each once. With `afresh` they replace those that were reported before. */
  messages(list: Message[], afresh: boolean): void;
  watching(n: number): void;
  /** The name under which this browser writes, null while it is not identified, and how many characters a message may have. */
  speaker(name: string | null, most: number | undefined): void;
  /** Whether the room is connected. */
  connected(yes: boolean): void;
  /** The message with this ref was stored, and has been reported. */
  sent(ref: string): void;
  /** The message with this ref was not stored, and is not tried again. */
  refused(ref: string, refusal: Refusal): void;
  /** The visitor was not identified, and cannot write yet. */
  unidentified(refusal: Refusal): void;
}

interface Ready {
  t: "pronto";
  autor: string | null;
  items: Message[];
  watching: number;
  max_length?: number;
  /** Further messages follow the items. */
  more?: boolean;
}

type Incoming = Ready | ({ t: "msg" } & Message) | { t: "presenca"; watching: number } | ({ t: "erro" } & Refusal);

const shortestWait = 2000, longestWait = 30_000; // ms; the most that a wait takes at first, and ever
const patience = 15_000; // ms that a message waits for its answer before the connection counts as lost
const maxKnown = 3000; // ids that are remembered to drop what comes twice

interface Unsent { ref: string; body: string }

export class Connection {
  #socket: WebSocket | null = null;
  #stopped = false;
  #timer = 0;
  #lostAt: number | null = null; // when the connection was lost, or could not be opened for the first time
  #entered = false; // the first `pronto` of this socket came
  #greeting = false; // `hello` was sent and not answered yet
  #afresh = false; // the messages of the next `pronto` replace those that were reported
  #early: Message[] = []; // came while what happened before them is still being read
  #known = new Set<string>();
  #last: string | null = null;
  #unsent: Unsent[] = [];
  #flying = false; // the first of the queue is on its way
  #answerBy = 0;

  /** `token` returns the token of the guest; "" for an account, whom the cookie identifies, and null for any other visitor. */
  constructor(private readonly url: string, private readonly token: () => string | null, private readonly listener: Listener) {}

  /** Enters the room. */
  start(): void {
    window.addEventListener("online", this.#wake);
    window.addEventListener("offline", this.#drop);
    document.addEventListener("visibilitychange", this.#wake);
    this.#open();
  }

  /** Leaves the room for good. */
  stop(): void {
    this.#stopped = true;
    window.removeEventListener("online", this.#wake);
    window.removeEventListener("offline", this.#drop);
    document.removeEventListener("visibilitychange", this.#wake);
    clearTimeout(this.#timer);
    clearTimeout(this.#answerBy);
    this.#socket?.close(1000);
    this.#socket = null;
  }

  /** Sends a message, now or once the room is connected, and returns its ref. */
  send(body: string): string {
    const ref = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.#unsent.push({ ref, body });
    this.#open(); // unless it is open
    this.#flush();
    return ref;
  }

  /** Identifies the visitor again, such as a guest that was just made. */
  identify(): void {
    if (this.#entered && this.token() !== null) this.#greet();
  }

  #open(): void {
    if (this.#stopped || this.#socket) return;
    if (!navigator.onLine || document.hidden) return; // until #wake
    const socket = this.#socket = new WebSocket(this.url);
    this.#entered = this.#greeting = this.#flying = this.#afresh = false;
    this.#early = [];
    socket.addEventListener("message", ({ data }) => { if (socket === this.#socket) this.#take(data); });
    socket.addEventListener("close", () => { if (socket === this.#socket) this.#lost(); });
  }

  readonly #wake = (): void => {
    if (document.hidden || this.#socket) return;
    this.#lostAt = null;
    this.#open();
  };

  readonly #drop = (): void => {
    const socket = this.#socket;
    if (socket) this.#lost();
    socket?.close();
  };

  #lost(): void {
    this.#socket = null;
    clearTimeout(this.#answerBy);
    clearTimeout(this.#timer);
    this.#entered = this.#flying = false;
    this.listener.connected(false);
    const now = performance.now();
    this.#lostAt ??= now;
    const wait = Math.random() * Math.min(longestWait, shortestWait + (now - this.#lostAt) / 2);
    if (!this.#stopped) this.#timer = window.setTimeout(() => this.#open(), wait);
  }

  #take(data: unknown): void {
    let it: Incoming;
    try {
      it = JSON.parse(String(data)) as Incoming;
    } catch {
      return; // a message that cannot be read is not shown
    }
    if (it.t === "pronto") this.#ready(it);
    else if (it.t === "msg") this.#message(it);
    else if (it.t === "presenca") this.listener.watching(it.watching);
    else if (it.t === "erro") this.#refuse(it);
  }

  #ready(it: Ready): void {
    this.listener.watching(it.watching);
    this.listener.speaker(it.autor, it.max_length);
    if (!this.#entered) {
      this.#entered = true;
      this.#lostAt = null;
      this.listener.connected(true);
      const back = this.#last !== null;
      if (!back) this.#report(it.items, false);
      const token = this.token();
      if (token || (token === "" && back)) return this.#greet();
      if (back) this.#report(it.items, true);
    } else {
      const last = this.#last;
      this.#greeting = false;
      this.#report(it.items, this.#afresh);
      this.#afresh = it.more === true && this.#last === last; // a page without anything new would come again and again
      if (it.more) return this.#greet();
    }
    this.#report(this.#early.splice(0), false);
    this.#flush();
  }

  #greet(): void {
    this.#greeting = true;
    this.#say({ t: "hello", token: this.token(), ...(this.#last !== null && !this.#afresh && { depois: this.#last }) });
  }

  #message(it: Message): void {
    if (this.#greeting && !it.apagada) this.#early.push(it);
    else this.#report([it], false);
    this.#flush();
  }

  /** Reports messages that were not reported before, those that were removed since, and which of this browser are among them. */
  #report(list: Message[], afresh: boolean): void {
    if (afresh) this.#known.clear();
    const fresh = list.filter(({ id, apagada }) => apagada || !this.#known.has(id));
    for (const { id, apagada } of fresh) {
      if (!apagada && !this.#known.has(id)) this.#last = id; // a removed message may be an old one
      this.#known.add(id);
    }
    for (const id of this.#known) {
      if (this.#known.size <= maxKnown) break;
      this.#known.delete(id);
    }
    if (fresh.length > 0 || afresh) this.listener.messages(fresh, afresh);
    for (const { ref } of list) if (ref !== undefined && this.#leave(ref)) this.listener.sent(ref);
  }

  /** Takes a message whose fate is known from the queue, and reports whether it was there. */
  #leave(ref: string): boolean {
    const at = this.#unsent.findIndex((unsent) => unsent.ref === ref);
    if (at < 0) return false;
    if (at === 0) {
      this.#flying = false;
      clearTimeout(this.#answerBy);
    }
    this.#unsent.splice(at, 1);
    return true;
  }

  #refuse(refusal: Refusal): void {
    if (refusal.ref === undefined) {
      if (this.#last === null) this.#greeting = false; // otherwise what was missed follows all the same
      if (!this.#greeting) this.#report(this.#early.splice(0), false);
      this.listener.unidentified(refusal);
    } else if (this.#leave(refusal.ref)) {
      this.listener.refused(refusal.ref, refusal);
    }
    this.#flush();
  }

  /** Sends the first of the queue, unless one is on its way. */
  #flush(): void {
    const [first] = this.#unsent;
    if (!first || this.#flying || !this.#entered || this.#greeting) return;
    this.#flying = true;
    this.#answerBy = window.setTimeout(this.#drop, patience);
    this.#say({ t: "msg", body: first.body, ref: first.ref });
  }

  #say(it: unknown): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(it));
  }
}
