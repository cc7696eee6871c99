import { useEffect, useRef } from 'react';
import type { Change, FollowedChange } from '../../../client/src/index.ts';
import { AtriumError } from '../../../client/src/index.ts';
import { api } from './api.ts';
import { session } from './session.ts';

/** What the tab that reads the feed tells the others: a change, or that some were missed. */
interface Told {
  userId: string;
  change?: FollowedChange;
}

type Listener = (changes: readonly Change[]) => void;

/** The changes of some moments arrive together: one redraw for all. */
const GATHERED_MS = 50;

/**
 * Follows the change feed: one tab reads it and tells the others. What a tab misses, it lists anew: `onGap` is called after
 * the feed has forgotten the cursor.
 */
class LiveChanges {
  readonly #listeners = new Set<Listener>();
  readonly #gapListeners = new Set<() => void>();
  readonly #tabs = new BroadcastChannel('atrium-changes');
  #gathered: Change[] = [];
  /** Behind the last change that this tab knows of. */
  #cursor: string | undefined;
  #stop: AbortController | undefined;

  start(userId: string): () => void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#cursor = undefined;
    this.#tabs.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data.userId !== userId) return;
      if (!data.change) return this.#gap();
      this.#cursor = data.change.cursor;
      this.#gather(data.change);
    };
    const follow = () => this.#follow(userId, stop.signal);
    if (!('locks' in navigator)) void follow();
    else
      void navigator.locks
        .request(`atrium-changes-${userId}`, { signal: stop.signal }, follow)
        .catch(() => undefined);
    return () => stop.abort();
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  /** Where the tab that read before was closed, this one goes on behind what that told. */
  async #follow(userId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#cursor ??= (await api.changes.readChanges({}, { signal })).cursor;
        for await (const change of api.changes.follow(this.#cursor, { signal })) {
          this.#cursor = change.cursor;
          this.#tabs.postMessage({ userId, change });
          this.#gather(change);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof AtriumError && error.status === 401) return session.lose();
        if (error instanceof AtriumError && error.code === 'cursor_expired')
          await this.#beginAgain(userId, signal);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  /** Takes a cursor first, then has every tab list anew: what changes in between is told. */
  async #beginAgain(userId: string, signal: AbortSignal): Promise<void> {
    try {
      this.#cursor = (await api.changes.readChanges({}, { signal })).cursor;
    } catch {
      // The next round asks with the old cursor, and comes here again.
      return;
    }
    this.#tabs.postMessage({ userId });
    this.#gap();
  }

  #gap(): void {
    for (const listener of this.#gapListeners) listener();
  }

  #gather(change: Change): void {
    if (this.#gathered.push(change) > 1) return;
    setTimeout(() => {
      const changes = this.#gathered;
      this.#gathered = [];
      if (this.#stop?.signal.aborted) return;
      for (const listener of this.#listeners) listener(changes);
    }, GATHERED_MS);
  }
}

export const liveChanges = new LiveChanges();

/** Calls `react` with the changes whose type begins with one of the prefixes, such as `message.`. */
export function useChanges(prefixes: readonly string[], react: Listener): void {
  const latest = useRef(react);
  latest.current = react;
  const wanted = prefixes.join(' ');
  useEffect(
    () =>
      liveChanges.listen((changes) => {
        const own = changes.filter(({ type }) => wanted.split(' ').some((prefix) => type.startsWith(prefix)));
        if (own.length > 0) latest.current(own);
      }),
    [wanted],
  );
}
