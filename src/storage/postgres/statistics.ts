import type { QueryResult } from 'pg';
import { onBehalfOf } from '../../turns/current-user.ts';

/** From the first write after a look to the next look. */
const LOOK_AFTER_MS = 2_000;
/**
 * After a look that no write has followed: a session that does nothing more reports its last changes to the server after ten
 * seconds only (PGSTAT_IDLE_INTERVAL).
 */
const LAST_LOOK_AFTER_MS = 12_000;

/**
 * The tables of which so many rows have changed since their last ANALYZE that their statistics say little: half of them, and
 * more than a few. A table that only grows is among them each time it has doubled. After a crash the server does not know how
 * many rows are alive, only how many there were at the last ANALYZE. Tables of other owners would be refused with a warning.
 */
const CHANGED_TABLES = `
  select c.oid::regclass::text as name from pg_class as c
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and pg_has_role(c.relowner, 'usage')
    and pg_stat_get_mod_since_analyze(c.oid) > 200 + greatest(c.reltuples, pg_stat_get_live_tuples(c.oid)) / 2`;

/** What is done on a connection, by statements outside of a transaction. */
export type Maintenance = (query: (text: string) => Promise<QueryResult>) => Promise<void>;

/**
 * Keeps the statistics of tables that grow fast. Without them the planner takes every table for small and reads all of a
 * mailbox where an index has the answer; autovacuum, which makes them, comes once a minute. See docs/decisions/0082.
 */
export class Statistics {
  readonly #maintain: (maintenance: Maintenance) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  /** Whether something was written since the last look began. */
  #hasWrites = false;
  #isLooking = false;
  #isStopped = false;

  /** `maintain` lends a connection. */
  constructor(maintain: (maintenance: Maintenance) => Promise<void>) {
    this.#maintain = maintain;
  }

  /** Looks after a while, and no sooner for further writes. */
  noteWrite(): void {
    if (this.#hasWrites) return;
    this.#hasWrites = true;
    if (!this.#isLooking) this.#lookAfter(LOOK_AFTER_MS);
  }

  /** Looks no more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => onBehalfOf('', () => void this.#look()), ms).unref();
  }

  async #look(): Promise<void> {
    const isLast = !this.#hasWrites;
    this.#hasWrites = false;
    this.#isLooking = true;
    // Whatever fails: the statistics are no worse than before, and the next write looks again.
    await this.#maintain(renewStatistics).catch(() => undefined);
    this.#isLooking = false;
    if (this.#hasWrites) this.#lookAfter(LOOK_AFTER_MS);
    else if (!isLast) this.#lookAfter(LAST_LOOK_AFTER_MS);
  }
}

async function renewStatistics(query: (text: string) => Promise<QueryResult>): Promise<void> {
  const { rows } = await query(CHANGED_TABLES);
  // No standby is waited for, as autovacuum waits for none; where another node is at it already, that is enough.
  for (const { name } of rows)
    await query(`begin; set local synchronous_commit = local; analyze (skip_locked) ${name}; commit`);
}
