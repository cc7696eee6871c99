import { setTimeout as pause } from 'node:timers/promises';
import type { FullTextIndex, ObjectKey } from '../../storage/full-text/full-text-index.ts';
import { indexDigest } from '../../storage/full-text/terms.ts';
import type { Indexer } from './indexer.ts';
import { BEGINNING, type BuildPosition, type Sources } from './sources.ts';

/** What a comparison needs. */
export interface ComparedIndex {
  readonly fullTextIndex: FullTextIndex;
  readonly sources: Sources;
  readonly indexer: Indexer;
}

const OBJECTS_AT_ONCE = 100;

/**
 * How long a comparison waits in all for what was written a moment ago: on PostgreSQL the feed shows a change when older
 * transactions, of whatever program, have ended.
 */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Compares the full-text index with what is stored, once it has followed the changes. Returns one sentence for each
 * kind of problem. What changes meanwhile is looked at again.
 */
export async function problemsOfIndex(
  compared: ComparedIndex,
  patienceMs: number = PATIENCE_MS,
): Promise<string[]> {
  const { fullTextIndex: index, indexer } = compared;
  const damage = await index.check();
  if (damage.length > 0) return damage;
  await indexer.catchUp();
  const problems: string[] = [];
  const waiting = { until: performance.now() + patienceMs };
  const { lacking, different, known } = await compare(compared, waiting);
  if (lacking.length > 0) problems.push(sentence('lacks', lacking));
  if (different.length > 0) problems.push(sentence('has an old text of', different));
  const gone = (await index.count()) > known ? await goneObjects(compared, waiting) : [];
  if (gone.length > 0) problems.push(sentence('still has', gone));
  return problems;
}

function sentence(what: string, keys: readonly ObjectKey[]): string {
  const { kind, id } = keys[0] as ObjectKey;
  return `The full-text index ${what} ${keys.length} objects, such as ${kind} ${id}; make it anew: atrium search rebuild.`;
}

interface Comparison {
  readonly lacking: ObjectKey[];
  readonly different: ObjectKey[];
  /** Indexed objects that are stored. */
  known: number;
}

/** Until when a comparison waits, on the clock of performance.now. */
interface Waiting {
  readonly until: number;
}

/** Asks again, after the index has followed the changes, as long as there are any and there is time. */
async function untilNone<T>(
  { indexer }: ComparedIndex,
  { until }: Waiting,
  ask: () => Promise<T[]>,
): Promise<T[]> {
  for (;;) {
    const found = await ask();
    if (found.length === 0 || performance.now() > until) return found;
    await pause(PAUSE_MS);
    await indexer.catchUp();
  }
}

async function compare(compared: ComparedIndex, waiting: Waiting): Promise<Comparison> {
  const { sources, fullTextIndex: index } = compared;
  const result: Comparison = { lacking: [], different: [], known: 0 };
  for (let next: BuildPosition | undefined = BEGINNING; next; ) {
    const { keys, next: following } = await sources.keysAfter(next, OBJECTS_AT_ONCE);
    const doubtful = await untilNone(compared, waiting, () => doubtfulOf({ sources, index }, keys));
    for (const key of doubtful) ((await isIndexed(index, key)) ? result.different : result.lacking).push(key);
    result.known += (await index.digests(keys)).length;
    next = following;
  }
  return result;
}

/** Those of the objects that are indexed otherwise than they are now. */
async function doubtfulOf(
  { sources, index }: { sources: Sources; index: FullTextIndex },
  keys: readonly ObjectKey[],
): Promise<ObjectKey[]> {
  const digests = new Map((await index.digests(keys)).map(({ id, digest }) => [id, digest]));
  const doubtful: ObjectKey[] = [];
  for await (const object of sources.each(keys)) {
    const { workspaceId, kind, id } = object;
    if (digests.get(id) !== indexDigest(object)) doubtful.push({ workspaceId, kind, id });
  }
  return doubtful;
}

async function isIndexed(index: FullTextIndex, key: ObjectKey): Promise<boolean> {
  return (await index.digests([key])).length > 0;
}

async function goneObjects(compared: ComparedIndex, waiting: Waiting): Promise<ObjectKey[]> {
  const { fullTextIndex: index, sources } = compared;
  const gone: ObjectKey[] = [];
  for (let after: ObjectKey | undefined; ; ) {
    const listed = await index.list(after, OBJECTS_AT_ONCE);
    gone.push(...(await untilNone(compared, waiting, () => goneOf({ sources, index }, listed))));
    after = listed.at(-1);
    if (listed.length < OBJECTS_AT_ONCE) return gone;
  }
}

/** Those of the indexed objects that are indexed still and stored no more. */
async function goneOf(
  { sources, index }: { sources: Sources; index: FullTextIndex },
  listed: readonly ObjectKey[],
): Promise<ObjectKey[]> {
  const stored = new Set<string>();
  for await (const { id } of sources.each(listed)) stored.add(id);
  const missing = listed.filter(({ id }) => !stored.has(id));
  const indexed = new Set((await index.digests(missing)).map(({ id }) => id));
  return missing
    .filter(({ id }) => indexed.has(id))
    .map(({ workspaceId, kind, id }) => ({ workspaceId, kind, id }));
}
