import type { Database } from '../../storage/database.ts';
import type { FullTextIndex, IndexPosition, IndexState } from '../../storage/full-text/full-text-index.ts';
import type { ChangesService } from '../changes/service.ts';

/** The changes that the index is to follow next, and how far it has come with them. */
export interface ChangesToIndex {
  readonly changes: readonly { workspaceId: string; type: string; ids: string }[];
  readonly position: IndexPosition;
  readonly more: boolean;
  /** On a cluster: how far in each of these workspaces. */
  readonly marks?: ReadonlyMap<string, IndexPosition>;
}

/**
 * How far it is looked back for changes that are seen late: by microseconds, and after how many milliseconds again. Their
 * number is given before the commit, which may wait for a server that is away. Each workspace has a mark, so that what is
 * looked at again is read again only where something has come.
 */
const LOOKS_BACK = [
  { microseconds: 24 * 3_600e6, everyMs: 3_600_000 },
  { microseconds: 600e6, everyMs: 60_000 },
] as const;
const LEAST_LOOK_BACK = 3e6;

/** Follows the changes of a cluster, each workspace in its own order. */
export class FollowedWorkspaces {
  readonly #database: Database;
  readonly #changes: ChangesService;
  readonly #index: FullTextIndex;
  readonly #lookedBackAt = LOOKS_BACK.map(() => Number.NEGATIVE_INFINITY);

  constructor(dependencies: { database: Database; changes: ChangesService; index: FullTextIndex }) {
    this.#database = dependencies.database;
    this.#changes = dependencies.changes;
    this.#index = dependencies.index;
  }

  /** The next changes of workspaces whose marks are behind. */
  async read({ position }: IndexState, limit: number): Promise<ChangesToIndex> {
    const due = this.#dueLook();
    const since = position.transaction - (LOOKS_BACK[due]?.microseconds ?? LEAST_LOOK_BACK);
    const numbers = await this.#lastNumbers(since);
    const marks = await this.#index.marks([...numbers.keys()]);
    const read: ChangesToIndex['changes'][number][] = [];
    const moved = new Map<string, IndexPosition>();
    let isAll = true;
    for (const [workspaceId, last] of numbers) {
      const mark = marks.get(workspaceId) ?? { transaction: 0, number: 0 };
      if (mark.transaction >= last && mark.number === Number.MAX_SAFE_INTEGER) continue;
      if (read.length >= limit) {
        isAll = false;
        break;
      }
      const next = await this.#database.read((tx) =>
        this.#changes.readOf(tx, workspaceId, mark, limit - read.length),
      );
      read.push(...next.changes);
      moved.set(
        workspaceId,
        next.more ? next.position : { ...next.position, number: Number.MAX_SAFE_INTEGER },
      );
      if (next.more) isAll = false;
    }
    // A longer look is one of the shorter ones as well.
    if (isAll) this.#lookedBackAt.fill(performance.now(), due);
    const end = [...numbers.values()].reduce((most, one) => Math.max(most, one), position.transaction);
    const transaction = isAll ? end : position.transaction;
    const isMoved = moved.size > 0 || transaction !== position.transaction;
    const number = isMoved ? following(position.number) : position.number;
    return { changes: read, position: { transaction, number }, more: !isAll, marks: moved };
  }

  async #lastNumbers(since: number): Promise<Map<string, number>> {
    const feeds = await this.#database.read((tx) => this.#changes.feedsAbove(tx, since));
    const numbers = new Map<string, number>();
    for (const { workspaceId, last } of feeds)
      numbers.set(workspaceId, Math.max(last, numbers.get(workspaceId) ?? 0));
    return numbers;
  }

  /** The longest look back that is due, by its index; behind the last where none is. */
  #dueLook(): number {
    const now = performance.now();
    const due = LOOKS_BACK.findIndex(({ everyMs }, i) => now - (this.#lookedBackAt[i] ?? 0) >= everyMs);
    return due === -1 ? LOOKS_BACK.length : due;
  }
}

/** Counts, so that of two who follow one sees that the index has moved on. A build begins with the largest number. */
function following(number: number): number {
  return number >= Number.MAX_SAFE_INTEGER ? 1 : number + 1;
}
