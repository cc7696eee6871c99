import { randomKey } from '../../app/random-key.ts';
import type { Content } from './content.ts';

/** What a window keeps in the browser of a draft that the server does not have in this form yet. */
export interface KeptText {
  content: Content;
  /** What the server had when this was written. */
  base?: Content;
  /** The state that this was written on, where its content is not known. */
  baseState?: string;
  /** What is being saved: it may be on the server, or not. */
  pending?: Content;
  /** What makes the draft. */
  creation?: Creation;
}

/** The request that makes a draft, under an Idempotency-Key: repeated by the same session in time, it makes no second one. */
export interface Creation {
  key: string;
  content: Content;
  /** When it was first asked for. */
  at: number;
  /** The session that has asked. "": not known. */
  sessionId: string;
}

const PREFIX = 'atrium-compose';

/** Names this window over reloads, and no other. */
const windowId = nameWindow();

async function nameWindow(): Promise<string> {
  const earlier = sessionStorage.getItem(PREFIX);
  // A duplicated tab has the storage of the first, but not its lock.
  const id = earlier && (await holdName(earlier)) ? earlier : randomKey();
  if (id !== earlier) await holdName(id);
  try {
    sessionStorage.setItem(PREFIX, id);
  } catch {
    // Without room the next page takes over what this one has kept, as that of a window that is gone.
  }
  return id;
}

/** The page before a reload may hold its lock for a moment still: so often, and so many milliseconds apart, it is asked for. */
const ATTEMPTS = 5;
const BETWEEN_MS = 100;

/** Holds the lock of a name until the window is gone; false where another window holds it. */
async function holdName(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return true;
  for (let attempt = 1; !(await takeLock(`${PREFIX}-${id}`)); attempt++) {
    if (attempt === ATTEMPTS) return false;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
  return true;
}

function takeLock(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise(() => undefined);
    });
  });
}

/** The text of one draft that this window keeps, also over a reload, a crash and a lost connection. */
export class KeptTexts {
  readonly #prefix: string;
  readonly #window: string;

  private constructor(prefix: string, window: string) {
    this.#prefix = prefix;
    this.#window = window;
  }

  /** `key` names the draft. */
  static async of(userId: string, key: string): Promise<KeptTexts> {
    return new KeptTexts(`${PREFIX}:${userId}:${key}:`, await windowId);
  }

  /** Returns false where the browser has no room for it. */
  put(kept: KeptText): boolean {
    try {
      localStorage.setItem(this.#prefix + this.#window, JSON.stringify(kept));
      return true;
    } catch {
      return false;
    } finally {
      tellKept();
    }
  }

  remove(): void {
    localStorage.removeItem(this.#prefix + this.#window);
    tellKept();
  }

  /** What this window has kept, or else a window that is gone, which this one takes over. */
  async take(): Promise<KeptText | undefined> {
    const own = read(this.#prefix + this.#window);
    if (own) return own;
    const alive = await aliveWindows();
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(this.#prefix) || alive.has(name.slice(this.#prefix.length))) continue;
      const left = read(name);
      if (!left || !this.put(left)) continue;
      dropKept(name);
      return left;
    }
    return undefined;
  }
}

const listeners = new Set<() => void>();

function tellKept(): void {
  for (const listener of listeners) listener();
}

/** Calls `listener` when this window keeps something else. */
export function listenToKept(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A text that some window of this browser keeps. */
export interface KeptSomewhere {
  /** Its name in the storage of the browser. */
  name: string;
  /** What names the draft. */
  key: string;
  kept: KeptText;
  /** Another window has it open. */
  isElsewhere: boolean;
}

/** All texts that this browser keeps of a user. */
export async function allKept(userId: string): Promise<KeptSomewhere[]> {
  const prefix = `${PREFIX}:${userId}:`;
  const [own, alive] = [await windowId, await aliveWindows()];
  return Object.keys(localStorage).flatMap((name) => {
    const [key = '', window = ''] = name.startsWith(prefix) ? name.slice(prefix.length).split(':') : [];
    const kept = key === '' ? undefined : read(name);
    return kept ? [{ name, key, kept, isElsewhere: window !== own && alive.has(window) }] : [];
  });
}

/** Gives up a text. */
export function dropKept(name: string): void {
  localStorage.removeItem(name);
  tellKept();
}

function read(name: string): KeptText | undefined {
  const text = localStorage.getItem(name);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as KeptText;
  } catch {
    // Not of this page: nothing that a person has written is lost with it.
    return undefined;
  }
}

async function aliveWindows(): Promise<Set<string>> {
  if (!('locks' in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.map(({ name = '' }) => name.slice(PREFIX.length + 1)));
}
