import { type Change, Changes as ChangeOperations, type ChangeTypeName } from './generated/changes.ts';
import { mayPass, pause, pauseAfter } from './retrying.ts';

export interface FollowOptions {
  /** Only these types, or kinds such as `message.*`. */
  types?: ChangeTypeName[];
  /** Ends the iteration: it rejects with the reason of the abort. */
  signal?: AbortSignal;
}

/** A change, with the cursor to store when it has been worked on. */
export interface FollowedChange extends Change {
  /** Following from it loses nothing; changes that came together with this one may come again. */
  cursor: string;
}

/** Seconds that the server holds an answer without changes. */
const WAIT_SECONDS = 30;

/** The change feed: a method for each operation, and following it. */
export class Changes extends ChangeOperations {
  /**
   * Iterates over changes as they come, without an end, from a cursor or from now. Lost connections and restarts of the
   * server are waited for. Rejects with AtriumError for what does not pass: `cursor_expired` means to list everything again.
   */
  async *follow(
    cursor?: string,
    { types, signal }: FollowOptions = {},
  ): AsyncGenerator<FollowedChange, never> {
    let position = cursor ?? (await this.#page({}, signal)).cursor;
    for (;;) {
      const query = { cursor: position, wait: WAIT_SECONDS, ...(types && { types }) };
      const page = await this.#page(query, signal);
      for (const [index, change] of page.changes.entries())
        yield { ...change, cursor: index === page.changes.length - 1 ? page.cursor : position };
      position = page.cursor;
    }
  }

  /** A page of the feed, however long the server is away. */
  async #page(query: Parameters<ChangeOperations['readChanges']>[0], signal: AbortSignal | undefined) {
    for (let failures = 1; ; failures++) {
      try {
        return await this.readChanges(query, { ...(signal && { signal }) });
      } catch (error) {
        if (!mayPass(error)) throw error;
        await pause(pauseAfter(failures, undefined), signal);
      }
    }
  }
}
