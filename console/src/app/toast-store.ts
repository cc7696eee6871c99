export interface Toast {
  id: number;
  text: string;
  /** Takes back what the toast tells of. */
  undo?: () => void;
  /** Another thing to do about it, such as opening what it tells of. */
  action?: { label: string; run(): void };
  kind: 'done' | 'problem';
}

/** What keeps a toast: a pointer over it, or the focus in it. */
type Hold = 'pointer' | 'focus';

/** So many are shown at once, beside those that are held. */
const MOST = 3;
/** A toast stays at least so long after it was let go. */
const AFTER_HOLD_MS = 3000;

interface Kept {
  toast: Toast;
  /** What is left of its time; it runs unless the toast is held. */
  leftMs: number;
  holds: Set<Hold>;
  since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The toasts that are shown. Each goes by itself, but never from under a pointer or the focus (WCAG 2.2, 2.2.1). */
export class ToastStore {
  readonly #lastsMs: number;
  readonly #kept = new Map<number, Kept>();
  readonly #listeners = new Set<() => void>();
  #toasts: readonly Toast[] = [];
  #lastId = 0;

  constructor(lastsMs: number) {
    this.#lastsMs = lastsMs;
  }

  readonly toasts = (): readonly Toast[] => this.#toasts;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns a function that removes the toast. */
  show(given: Omit<Toast, 'id'>): () => void {
    const toast = { ...given, id: ++this.#lastId };
    const kept: Kept = { toast, leftMs: this.#lastsMs, holds: new Set(), since: 0, timer: undefined };
    this.#kept.set(toast.id, kept);
    const free = [...this.#kept.values()].filter(({ holds }) => holds.size === 0);
    for (const { toast: old } of free.slice(0, -MOST)) this.#forget(old.id);
    this.#run(kept);
    this.#changed();
    return () => this.remove(toast.id);
  }

  remove(id: number): void {
    this.#forget(id);
    this.#changed();
  }

  hold(id: number, by: Hold): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    if (kept.holds.size === 0) {
      clearTimeout(kept.timer);
      kept.leftMs -= Date.now() - kept.since;
    }
    kept.holds.add(by);
  }

  release(id: number, by: Hold): void {
    const kept = this.#kept.get(id);
    if (!kept?.holds.delete(by) || kept.holds.size > 0) return;
    kept.leftMs = Math.max(kept.leftMs, AFTER_HOLD_MS);
    this.#run(kept);
  }

  #run(kept: Kept): void {
    kept.since = Date.now();
    kept.timer = setTimeout(() => this.remove(kept.toast.id), kept.leftMs);
  }

  #forget(id: number): void {
    clearTimeout(this.#kept.get(id)?.timer);
    this.#kept.delete(id);
  }

  #changed(): void {
    this.#toasts = [...this.#kept.values()].map(({ toast }) => toast);
    for (const listener of this.#listeners) listener();
  }
}
