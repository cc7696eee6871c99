import { useSyncExternalStore } from 'react';
import { AtriumError } from '../../../client/src/index.ts';
import { type Call, Requests } from '../../../client/src/requests.ts';
import { pause, pauseAfter } from '../../../client/src/retrying.ts';
import { api } from './api.ts';
import { callOf, type RecordingApi } from './calls.ts';
import { type Entry, filled, isHeld } from './outbox-entry.ts';
import { failureOf } from './outbox-failures.ts';
import { OutboxStore } from './outbox-store.ts';
import { Pauses } from './pauses.ts';
import { randomKey } from './random-key.ts';
import { reasonOf } from './refusals.ts';
import { session } from './session.ts';
import { Waiters } from './waiters.ts';

/** A write that a page makes. */
export interface Write {
  /** The call, by a method of the client. */
  call: (api: RecordingApi) => Promise<unknown>;
  /** What it does, in words, such as "Archive 3 messages". */
  label: string;
  /** Writes of one lane are sent in order. Default: one lane for all that name none. */
  lane?: string;
  /** In milliseconds: how long it can be taken back before it is sent. */
  heldFor?: number;
  /** Where the page has stored a key of its own, so that it can ask again for the answer. Default: a new one. */
  idempotencyKey?: string;
  /** The write whose answer the call needs (`ANSWERED_ID`, `ANSWERED_STATE`): sent after it, with it taken back. */
  after?: Sent | undefined;
  /** The address in the console where a person sees what it is about. */
  place?: string;
}

/** What becomes of a write. */
export interface Sent {
  id: number;
  /** The `data` of the server's answer. Rejects with the refusal, or where the write was taken back. */
  done: Promise<unknown>;
}

/** The write was taken back before it was sent, or was given up. */
export class TakenBack extends Error {}

const LANE = 'writes';

/** A write at which the server fails so often is shown to the person, and holds up nothing any more. */
const MOST_FAILURES = 5;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Sends writes exactly once: each is stored with its Idempotency-Key before it is sent, and repeated under it until the server
 * has answered, over lost connections, reloads and crashes. Tabs share the stored writes; one tab at a time sends.
 */
class Outbox {
  readonly #store = new OutboxStore();
  readonly #requests = new Requests({ address: location.origin, key: session.token, retries: 0 });
  readonly #waiters = new Waiters();
  readonly #listeners = new Set<() => void>();
  readonly #busyLanes = new Set<string>();
  /** The writes of this tab. */
  readonly #own = new Set<number>();
  readonly #pauses = new Pauses();
  #entries: readonly Entry[] = [];
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #userId: string | undefined;
  /** The write that this tab has made last. */
  last: Entry | undefined;
  #sessionId = '';
  /** The token to which the id of the session belongs. */
  #token = '';
  /** Lets another tab send. Present while this one does. */
  #release: (() => void) | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly entries = (): readonly Entry[] => this.#entries;

  /** Whether the last attempts have not reached the server. */
  readonly isCutOff = (): boolean => this.#failures > 0;

  /** Whether what waits outlives the page. */
  readonly isLasting = (): boolean => this.#store.isLasting;

  /** Begins to send the writes of a user. Returns a function that ends it: nothing of theirs is sent as somebody else. */
  open(userId: string): () => void {
    this.#userId = userId;
    this.#waiters.listen(() => void this.#reload());
    const [online, leaving] = [() => this.#pauses.endAll(), () => this.#sendHeld()];
    addEventListener('online', online);
    addEventListener('pagehide', leaving);
    const closed = new AbortController();
    void this.#reload();
    void this.#begin(closed.signal);
    return () => {
      removeEventListener('online', online);
      removeEventListener('pagehide', leaving);
      closed.abort();
      this.#close();
    };
  }

  /** However long the server is away: what was stored is shown meanwhile. */
  async #begin(signal: AbortSignal): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.sessionId();
        return this.#becomeSender(signal);
      } catch (error) {
        if (error instanceof AtriumError && error.status === 401) return session.lose();
        await pause(pauseAfter(failures, undefined), signal).catch(() => undefined);
      }
    }
  }

  /** The id of the session that was known last; "" before the first. */
  get lastSessionId(): string {
    return this.#sessionId;
  }

  /** The id of the session whose token is sent now: another tab may have signed out and in again. */
  async sessionId(): Promise<string> {
    const token = await session.token();
    if (token !== this.#token) {
      this.#sessionId = (await api.apiKeys.getOwnApiKey()).id;
      this.#token = token;
    }
    return this.#sessionId;
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#userId = undefined;
    this.#sessionId = '';
    this.#token = '';
    this.last = undefined;
    this.#entries = [];
    this.#own.clear();
    this.#failures = 0;
    this.#release?.();
    this.#release = undefined;
    this.#pauses.endAll();
    this.#notify();
  }

  /** Stores a write and sends it. Resolves when it is stored: from then on it is not lost. */
  async add(write: Write): Promise<Sent> {
    const { call, label, lane = LANE, heldFor = 0, idempotencyKey = randomKey(), after, place } = write;
    if (this.#userId === undefined) throw new Error('Nobody is signed in');
    const now = Date.now();
    const entry = await this.#store.add({
      idempotencyKey,
      userId: this.#userId,
      sessionId: '',
      lane,
      label,
      call: await callOf(call),
      madeAt: now,
      notBefore: heldFor > 0 ? now + heldFor : 0,
      attemptedAt: 0,
      ...(after && { after: after.id }),
      ...(place !== undefined && { place }),
    });
    this.last = entry;
    this.#own.add(entry.id);
    const done = this.#waiters.of(entry.id);
    if (after) this.#fillAfter(entry.id, after);
    await this.#changed();
    return { id: entry.id, done };
  }

  /** What a write needs may have been answered, or given up, before the write was stored. */
  #fillAfter(id: number, after: Sent): void {
    const fill = async (answer: unknown) => {
      const change = (entry: Entry) => (entry.after === after.id ? filled(entry, answer) : undefined);
      if (await this.#store.change(id, change)) await this.#changed();
    };
    const giveUp = (error: unknown) => {
      if (error instanceof TakenBack) void this.discard(id);
    };
    after.done.then(fill, giveUp);
  }

  /** The stored writes of which something holds, in order. */
  async find(holds: (entry: Entry) => boolean): Promise<Entry[]> {
    if (this.#userId === undefined) return [];
    return (await this.#store.all(this.#userId)).filter(holds);
  }

  /** What becomes of a stored write, which an earlier page may have made; undefined where it is gone. */
  async follow(id: number): Promise<unknown> {
    const done = this.#waiters.of(id);
    if (!(await this.#store.get(id))) this.#waiters.resolve(id, undefined);
    return done;
  }

  /** Removes a write that was not sent yet, and those that need its answer. Undefined where it is too late. */
  async takeBack(id: number): Promise<Entry | undefined> {
    return this.#giveUp(await this.#store.takeBack(id), 'Taken back');
  }

  /** Gives up a write with a problem, and those that need its answer. */
  async discard(id: number): Promise<void> {
    await this.#giveUp(await this.#store.remove(id), 'Discarded');
  }

  async #giveUp(entries: readonly Entry[], why: string): Promise<Entry | undefined> {
    const reason = new TakenBack(why);
    for (const { id } of entries) this.#waiters.reject(id, reason);
    if (entries.length > 0) await this.#changed();
    return entries[0];
  }

  /** Sends a write with a problem again: as a new write, but where the server has failed, which has done nothing. */
  async sendAgain(id: number): Promise<void> {
    await this.#store.change(id, ({ problem, failures: _, ...entry }) =>
      problem?.kind === 'failed'
        ? entry
        : { ...entry, idempotencyKey: randomKey(), sessionId: '', attemptedAt: 0 },
    );
    await this.#changed();
  }

  /** One tab sends; another goes on when it is closed. Without locks each tab sends its part, which the server does once. */
  #becomeSender(signal: AbortSignal): void {
    const send = () =>
      new Promise<void>((release) => {
        this.#release = release;
        void this.#reload();
      });
    if (!('locks' in navigator)) return void send();
    // Rejects where it is closed before its turn.
    navigator.locks.request(`atrium-outbox-${this.#userId}`, { signal }, send).catch(() => undefined);
  }

  async #reload(): Promise<void> {
    const userId = this.#userId;
    if (userId === undefined) return;
    const waitedFor = this.#waiters.ids();
    const entries = await this.#store.all(userId);
    if (userId !== this.#userId) return;
    this.#entries = entries;
    // Where another tab has died after sending, nobody knows the answer; the change feed tells of the effect.
    const stored = new Set(entries.map(({ id }) => id));
    if (!this.#release) for (const id of waitedFor) if (!stored.has(id)) this.#waiters.resolve(id, undefined);
    this.#notify();
    this.#sendDue();
  }

  async #changed(): Promise<void> {
    await this.#reload();
    this.#waiters.tellChanged();
  }

  #sendDue(): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    const lanes = new Set<string>();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries) {
      // What has a problem holds up no lane: the person decides about it.
      if (entry.problem || lanes.has(entry.lane)) continue;
      lanes.add(entry.lane);
      if (!this.#isMineToSend(entry)) continue;
      if (entry.after !== undefined) this.#lookAfter(entry, entry.after);
      else if (isHeld(entry, now)) next = Math.min(next, entry.notBefore);
      else if (!this.#busyLanes.has(entry.lane)) void this.#send(entry);
    }
    if (next < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#sendDue(), next - now);
  }

  /** An earlier page went while it learnt the answer that this write needs: only the person can tell what becomes of it. */
  #lookAfter({ id }: Entry, after: number): void {
    if (this.#own.has(id) || this.#entries.some((entry) => entry.id === after)) return;
    const problem = { kind: 'refused' as const, message: 'What this needs is not known any more.' };
    void this.#store.change(id, (entry) => ({ ...entry, problem })).then(() => this.#changed());
  }

  /** What only this page knows no other tab can send. */
  #isMineToSend({ id }: Entry): boolean {
    return this.#release !== undefined || this.#store.isInMemory(id);
  }

  async #send(entry: Entry): Promise<void> {
    this.#busyLanes.add(entry.lane);
    try {
      await this.#attempt(entry);
    } catch {
      // The database of the browser has failed: nothing was sent, or it is sent again under its key.
      await this.#pauses.of(pauseAfter(MOST_FAILURES, undefined));
    } finally {
      this.#busyLanes.delete(entry.lane);
      await this.#changed();
    }
  }

  async #attempt({ id, userId, attemptedAt }: Entry): Promise<void> {
    let sessionId: string;
    try {
      sessionId = await this.sessionId();
      // A read tells first whether the server is there: until then the write is unsent, and can be taken back.
      const isDoubtful = this.isCutOff() || !navigator.onLine;
      if (isDoubtful && attemptedAt === 0) await api.apiKeys.getOwnApiKey();
    } catch (error) {
      // Nothing was sent.
      return this.#wait(error);
    }
    const claim = await this.#store.claim(id, sessionId, session.idempotencyTtlMs);
    // It was taken back, or somebody else has signed in meanwhile.
    if (!claim || userId !== this.#userId) return;
    let data: unknown;
    try {
      data = await this.#call(claim.entry.call, claim.entry.idempotencyKey);
    } catch (error) {
      return this.#fail(claim.entry, error, claim.isFirst);
    }
    this.#failures = 0;
    // The other tabs first: one that misses the write from the store before knows no answer.
    this.#waiters.tellDone(id, data);
    await this.#store.settle(id, data);
    this.#waiters.resolve(id, data);
  }

  #call(call: Call, idempotencyKey: string): Promise<unknown> {
    return this.#requests.send(call, { idempotencyKey }, async (answer) => {
      const text = await answer.text();
      return text === '' ? undefined : (JSON.parse(text) as { data: unknown }).data;
    });
  }

  /** What may pass is tried again after a pause; a refusal is kept for the person and given to whoever waits. */
  async #fail({ id, failures = 0 }: Entry, error: unknown, isFirst: boolean): Promise<void> {
    const failure = failureOf(error);
    // The next session sends it, unless an earlier attempt may have done it.
    if (failure === 'session ended' && isFirst)
      await this.#store.change(id, (entry) => ({ ...entry, sessionId: '', attemptedAt: 0 }));
    if (failure === 'session ended' || failure === 'passing') return this.#wait(error);
    this.#failures = 0;
    const message = reasonOf(error);
    if (failure === 'failed') {
      const isLast = failures + 1 >= MOST_FAILURES;
      const problem = isLast && { problem: { kind: 'failed' as const, message } };
      await this.#store.change(id, (entry) => ({ ...entry, failures: failures + 1, ...problem }));
      return isLast ? undefined : this.#pauses.of(pauseAfter(failures + 1, undefined));
    }
    await this.#store.change(id, (entry) => ({ ...entry, problem: { kind: 'refused', message } }));
    this.#waiters.refuse(id, error instanceof Error ? error : new Error(message));
  }

  /** Waits before the next attempt, or ends where the session has ended. */
  async #wait(error: unknown): Promise<void> {
    this.#failures++;
    this.#notify();
    if (failureOf(error) === 'session ended') return session.lose();
    if (this.#userId === undefined) return;
    const requested = error instanceof AtriumError ? (error.retryAfterMs ?? 0) : 0;
    const own = pauseAfter(this.#failures, undefined);
    await this.#pauses.of(Math.max(own, Math.min(requested, LONGEST_PAUSE_MS)));
  }

  /**
   * A tab that is closed sends what it has held back, and what it alone knows: nobody would take it back any more. Where the
   * browser ends too early for that, the next tab sends what is stored under the same key.
   */
  #sendHeld(): void {
    const now = Date.now();
    const isDue = (entry: Entry) =>
      this.#store.isInMemory(entry.id) || (this.#own.has(entry.id) && isHeld(entry, now));
    const lanes = new Set<string>();
    for (const entry of this.#entries) {
      if (entry.problem || lanes.has(entry.lane)) continue;
      lanes.add(entry.lane);
      if (entry.after !== undefined || entry.attemptedAt > 0 || !isDue(entry)) continue;
      const sent = { notBefore: 0, sessionId: this.#sessionId, attemptedAt: now };
      this.#store.change(entry.id, (stored) => ({ ...stored, ...sent })).catch(() => undefined);
      this.#requests
        .send(entry.call, { idempotencyKey: entry.idempotencyKey, keepalive: true }, async () => undefined)
        .catch(() => undefined);
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const outbox = new Outbox();

/** The writes of the person that the server has not confirmed. */
export function useOutbox(): readonly Entry[] {
  return useSyncExternalStore(outbox.subscribe, outbox.entries);
}

export function useIsCutOff(): boolean {
  return useSyncExternalStore(outbox.subscribe, outbox.isCutOff);
}
