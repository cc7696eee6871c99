import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BEGINNING, type BuildPosition } from '../../src/areas/search/sources.ts';
import { ID_DIGITS } from '../../src/platform/ids.ts';
import { openServices, type Services } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import type { IndexedObject } from '../../src/storage/full-text/full-text-index.ts';
import { indexDigest, placeOf, scopeOf, termsOf } from '../../src/storage/full-text/terms.ts';
import { keptDirectory } from '../mail/mailboxes.ts';
import { OWNER_KEY } from '../mail/servers.ts';
import { MAIL_MADE_BY, searchableMailbox } from './mailbox.ts';
import { READ_UNTIL } from './read-until.ts';

/** What stands between the places of two copies: more than there are messages. */
const APART = 100_000n;
/** Objects of one transaction of the index. */
const OBJECTS_AT_ONCE = 1_000;
const MADE_BY: readonly string[] = [
  ...MAIL_MADE_BY,
  'bench/search/multiplied-sqlite.ts',
  // Has the version of the index.
  'src/storage/full-text/terms.ts',
];

/**
 * A data directory with the messages of another one so many times: the same words in the same frequencies under other ids, in
 * rows and in entries of the full-text index as the product makes them. An import of a million takes an hour and more.
 * Copies share no thread.
 */
export function multipliedMailbox(messages: number, times: number): Promise<string> {
  return keptDirectory(`multiplied-${times}-of-${messages}`, MADE_BY, async (directory) => {
    await cp(await searchableMailbox(messages), directory, { recursive: true });
    for (const suffix of ['', '-wal', '-shm'])
      await rm(join(directory, `search.sqlite${suffix}`), { force: true });
    const services = await openServices(
      readConfig({ ATRIUM_DATA_DIR: directory, ATRIUM_OWNER_KEY: OWNER_KEY }),
    );
    try {
      await indexAll(services, directory, times);
    } finally {
      await services.close();
    }
    multiplyRows(join(directory, 'atrium.sqlite'), times);
  });
}

/** An index that has followed all changes, with each object and its copies. */
async function indexAll(services: Services, directory: string, times: number): Promise<void> {
  const { fullTextIndex, indexer } = services;
  await indexer.beginBuild();
  const state = await fullTextIndex.state();
  if (!state) throw new Error('The index has no state');
  const to = { ...state, building: undefined, readUntil: READ_UNTIL };
  await fullTextIndex.write({ from: state, to, objects: [], removed: [] });
  const db = new DatabaseSync(join(directory, 'search.sqlite'));
  db.exec('pragma synchronous = off; pragma cache_size = -65536');
  const given = new Set<bigint>();
  for (let next: BuildPosition | undefined = BEGINNING; next; ) {
    const { keys, next: following } = await services.sources.keysAfter(next, OBJECTS_AT_ONCE);
    await write(db, await services.sources.objects(keys), times, given);
    next = following;
  }
  db.close();
}

async function write(
  db: DatabaseSync,
  objects: readonly IndexedObject[],
  times: number,
  given: Set<bigint>,
): Promise<void> {
  const insertObject = db.prepare(
    `insert into objects (place, workspace_id, kind, id, build, digest, excerpt, folder, roots, scopes, packed_terms)
      values (?, ?, ?, ?, 1, ?, null, '', '', '', null)`,
  );
  const insertTerms = db.prepare('insert into terms (rowid, value) values (?, ?)');
  // Places have 63 bits.
  for (const statement of [insertObject, insertTerms]) statement.setReadBigInts(true);
  db.exec('begin');
  for (const object of objects) {
    const { workspaceId, kind, id, principals } = object;
    const scope = scopeOf(workspaceId, principals[0] ?? '');
    const terms = Array.from(await termsOf(object), (term) => scope + term).join(' ');
    let own = placeOf(object);
    while (given.has(own)) own++;
    given.add(own);
    for (let copy = 0; copy < times; copy++) {
      const place = own + BigInt(copy) * APART;
      insertObject.run(place, workspaceId, kind, copyOf(id, copy), indexDigest(object));
      insertTerms.run(place, terms);
    }
  }
  db.exec('commit');
}

/** A copy has another last digit in its id: no two ids differ in that alone. */
function copyOf(id: string, copy: number): string {
  return id.slice(0, -1) + ID_DIGITS[(ID_DIGITS.indexOf(id.at(-1) ?? '') + copy) % ID_DIGITS.length];
}

function multiplyRows(path: string, times: number): void {
  const db = new DatabaseSync(path);
  db.exec('pragma synchronous = off; pragma cache_size = -500000; begin');
  const last = Number(db.prepare('select max(number) as last from messages').get()?.last);
  const number = `m.number + k.value * ${last}`;
  const copies = `(with recursive k(value) as (select 1 union all select value + 1 from k where value < ${times - 1})
    select value from k) as k`;
  const copied = (column: string) =>
    `substr(${column}, 1, length(${column}) - 1) ||
      substr('${ID_DIGITS}', (instr('${ID_DIGITS}', substr(${column}, -1)) - 1 + k.value) % ${ID_DIGITS.length} + 1, 1)`;
  db.exec(`insert into messages (number, workspace_id, user_id, id, thread_id, summary)
    select ${number}, workspace_id, user_id, ${copied('id')}, ${copied('thread_id')},
      replace(replace(summary, id, ${copied('id')}), thread_id, ${copied('thread_id')})
    from ${copies} cross join messages as m where m.number <= ${last}`);
  db.exec(`insert into message_states (number, workspace_id, folder_number, date, flags, labels)
    select ${number}, workspace_id, folder_number, date, flags, labels
    from ${copies} cross join message_states as m where m.number <= ${last}`);
  db.exec(`insert into message_contents
      (number, workspace_id, size, content_of, raw, blob_key, record, applied_filters, received)
    select ${number}, workspace_id, size, content_of, raw, blob_key, record, applied_filters, received
    from ${copies} cross join message_contents as m where m.number <= ${last}`);
  db.exec(`update mail_folder_counts set messages = messages * ${times}; commit`);
  db.close();
}
