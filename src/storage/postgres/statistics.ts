import type { QueryResult } from 'pg';
import { onBehalfOf } from '../../turns/current-user.ts';

/** From the first write after a look to the next look. */
const LOOK_AFTER_MS = 2_000;

/**
 * The tables of which so many rows have changed since their last ANALYZE that their statistics say little: half of them, and
 * more than a few. A table that only grows is among them each time it has doubled.
 */
const CHANGED_TABLES = `
  select c.oid::regclass::text as name from pg_class as c
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and pg_stat_get_mod_since_analyze(c.oid) > 200 + pg_stat_get_live_tuples(c.oid) / 2`;

/** What is done on a connection, by statements outside of a transaction. */
export type Maintenance = (query: (text: string) => Promise<QueryResult>) => Promise<void>;

/**
 * Keeps the statistics of tables that grow fast. Without them the planner takes every table for small and reads all of a
 * mailbox where an index has the answer; autovacuum, which makes them, comes once a minute. See docs/decisions/0082.
 */
export class Statistics {
  readonly #maintain: (maintenance: Maintenance) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;

  /** `maintain` lends a connection. */
  constructor(maintain: (maintenance: Maintenance) => Promise<void>) {
    this.#maintain = maintain;
  }

  /** Looks after a while, and no sooner for further writes. */
  noteWrite(): void {
    this.#timer ??= setTimeout(() => onBehalfOf('', () => this.#look()), LOOK_AFTER_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    this.#timer = undefined;
    // Whatever fails: the statistics are no worse than before, and the next write looks again.
    this.#maintain(async (query) => {
      const { rows } = await query(CHANGED_TABLES);
      // Where another node is at it already, that is enough.
      for (const { name } of rows) await query(`analyze (skip_locked) ${name}`);
    }).catch(() => undefined);
  }
}
