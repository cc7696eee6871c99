import assert from 'node:assert/strict';
import type { Change } from '../areas/changes-feed.ts';
import type { Actor } from './actor.ts';
import { MIRRORED_KINDS, type Mirrored, type MirroredKind, type Told } from './mirror-kinds.ts';

/**
 * What a user sees, kept by the change feed alone: it was listed once, and after that only what the feed names is read
 * again.
 */
export interface Mirror {
  /** The kinds of changes that it was told of. */
  readonly heard: ReadonlySet<string>;
  /** Follows as long as this holds. */
  follow(goesOn: () => boolean): Promise<void>;
  /** Follows to the end, and holds what it has against what listings show. */
  prove(): Promise<void>;
}

interface Page {
  changes: Change[];
  cursor: string;
  more: boolean;
}

/** Objects that changes name, by their ids. */
type Named = ReadonlyMap<string, Told>;

/** Takes a cursor, then lists everything. */
export async function startMirror(actor: Actor): Promise<Mirror> {
  const heard = new Set<string>();
  const copies = new Map<string, Map<string, object>>();
  let { cursor } = await readPage(actor, '');
  for (const [name, kind] of Object.entries(MIRRORED_KINDS)) copies.set(name, await listed(actor, kind));

  const followOnce = async (query: string) => {
    const page = await readPage(actor, `?cursor=${cursor}&limit=1000${query}`);
    for (const { type } of page.changes) heard.add(kindOf(type));
    for (const [name, kind] of Object.entries(MIRRORED_KINDS))
      await readAgain(actor, kind, copies.get(name) ?? new Map(), namedIn(page.changes, kind));
    cursor = page.cursor;
    return page;
  };
  /** What was written before this folder comes before it. */
  const followToEnd = async () => {
    const body = { name: actor.random.token() };
    const { data } = await actor.must({ method: 'POST', path: '/v1/folders', body });
    for (let isSeen = false, more = true; !isSeen || more; ) {
      const page = await followOnce('&wait=1');
      isSeen ||= page.changes.some(({ ids }) => ids.folder_id === data.id);
      ({ more } = page);
    }
  };

  return {
    heard,
    follow: async (goesOn) => {
      while (goesOn()) await followOnce('&wait=1');
    },
    prove: async () => {
      await followToEnd();
      for (const [name, kind] of Object.entries(MIRRORED_KINDS))
        assert.deepEqual(
          sorted(copies.get(name)),
          sorted(await listed(actor, kind)),
          `the mirror of ${name}`,
        );
    },
  };
}

function readPage(actor: Actor, query: string): Promise<Page> {
  return actor.get(`/v1/changes${query}`);
}

async function listed(actor: Actor, kind: MirroredKind): Promise<Map<string, object>> {
  const records = await kind.list(actor);
  return new Map(records.map((record) => [record.id, kind.shown(record)]));
}

/** Each object once, however many changes of a page name it. */
function namedIn(changes: readonly Change[], { told }: MirroredKind): Named {
  const named = new Map<string, Told>();
  for (const { type, ids } of changes) {
    const member = told[kindOf(type)];
    if (member === undefined) continue;
    for (const id of [ids[member] ?? ids[`${member}s`]].flat())
      named.set(id, { type, ids: { ...named.get(id)?.ids, ...ids } });
  }
  return named;
}

async function readAgain(
  actor: Actor,
  kind: MirroredKind,
  copies: Map<string, object>,
  named: Named,
): Promise<void> {
  if (named.size === 0) return;
  const found = kind.find ? await findEach(actor, kind.find, named) : byId(await kind.list(actor));
  for (const id of named.keys()) {
    const record = found.get(id);
    if (record) copies.set(id, kind.shown(record));
    else copies.delete(id);
  }
}

async function findEach(
  actor: Actor,
  find: NonNullable<MirroredKind['find']>,
  named: Named,
): Promise<Map<string, Mirrored>> {
  const found = await Promise.all([...named].map(([id, what]) => find(actor, id, what)));
  return byId(found.filter((record) => record !== undefined));
}

function byId(records: readonly Mirrored[]): Map<string, Mirrored> {
  return new Map(records.map((record) => [record.id, record]));
}

function kindOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

function sorted(copies: ReadonlyMap<string, object> = new Map()): [string, object][] {
  return [...copies].sort(([a], [b]) => (a < b ? -1 : 1));
}
