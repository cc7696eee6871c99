import { Client } from 'pg';
import { ID_DIGITS } from '../../src/platform/ids.ts';

/** What stands between the places of two copies, and between their numbers: more than there are messages. */
const APART = 100_000;

/**
 * Multiplies the messages of a database of PostgreSQL and their entries of the full-text index by SQL, because an import of
 * a million takes hours: the same words in the same frequencies under other ids, in rows and indexes as the product
 * makes them. Copies share no thread.
 */
export async function multiplyMailbox(databaseUrl: string, times: number): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await withoutIndexes(client, ['messages', 'message_states', 'message_contents'], () =>
      multiplyRows(client, times),
    );
    await withoutIndexes(client, ['search_objects', 'search_terms'], () => multiplyEntries(client, times));
    await client.query(`update mail_folder_counts set messages = messages * ${times}`);
  });
}

/** Does work without the index of the terms, and makes it afterwards, which takes a fraction. */
export function withoutTermIndex(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  const ofTerms = `indexdef like '% using gin %' and tablename = 'search_terms'`;
  return withClient(databaseUrl, (client) => withoutIndexesWhere(client, ofTerms, [], work));
}

/** A database that is left so starts without work, and its planner knows what is in it. */
export function atRest(databaseUrl: string): Promise<void> {
  return withClient(databaseUrl, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}

async function withClient(databaseUrl: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`set maintenance_work_mem = '1GB'; set synchronous_commit = off`);
    await work(client);
  } finally {
    await client.end();
  }
}

/** Indexes that are made at the end cost a fraction. Those of keys stay. */
function withoutIndexes(client: Client, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const noKeys = 'indexname not in (select conname from pg_constraint)';
  return withoutIndexesWhere(client, `tablename = any ($1) and ${noKeys}`, [tables], work);
}

async function withoutIndexesWhere(
  client: Client,
  condition: string,
  values: readonly unknown[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where schemaname = current_schema() and ${condition}`,
    [...values],
  );
  for (const { indexname } of rows) await client.query(`drop index "${indexname}"`);
  await work();
  for (const { indexdef } of rows) await client.query(indexdef);
}

/** A copy has another last digit in its id, and so in that of its thread: no two ids differ in that alone. */
function copied(column: string): string {
  const digit = `(strpos('${ID_DIGITS}', right(${column}, 1)) - 1 + k) % ${ID_DIGITS.length} + 1`;
  return `left(${column}, -1) || substr('${ID_DIGITS}', ${digit}, 1)`;
}

async function multiplyRows(client: Client, times: number): Promise<void> {
  const copies = `generate_series(1, ${times - 1}) as k`;
  const { rows } = await client.query('select max(number) as last from messages');
  const number = (table: string) => `${table}.number + k * ${rows[0].last}`;
  await client.query(
    `insert into messages (number, workspace_id, user_id, id, thread_id, summary) overriding system value
      select ${number('m')}, workspace_id, user_id, ${copied('id')}, ${copied('thread_id')},
        replace(replace(summary, id, ${copied('id')}), thread_id, ${copied('thread_id')})
      from messages as m, ${copies}`,
  );
  await client.query(
    `insert into message_states (number, workspace_id, folder_number, date, flags, labels)
      select ${number('m')}, workspace_id, folder_number, date, flags, labels from message_states as m, ${copies}`,
  );
  await client.query(
    `insert into message_contents (number, workspace_id, size, content_of, raw, blob_key, record, applied_filters, received)
      select ${number('m')}, workspace_id, size, content_of, raw, blob_key, record, applied_filters, received
      from message_contents as m, ${copies}`,
  );
  await client.query(
    `select setval(pg_get_serial_sequence('messages', 'number'), (select max(number) from messages))`,
  );
}

async function multiplyEntries(client: Client, times: number): Promise<void> {
  const copies = `generate_series(1, ${times - 1}) as k`;
  await client.query(
    `insert into search_objects (workspace_id, kind, id, place, build, digest, excerpt, folder, roots)
      select workspace_id, kind, ${copied('id')}, place + k * ${APART}, build, digest, excerpt, folder, roots
      from search_objects as m, ${copies}`,
  );
  await client.query(
    `insert into search_terms (workspace_id, scope, place, part, parts, terms)
      select workspace_id, scope, place + k * ${APART}, part, parts, terms from search_terms as m, ${copies}`,
  );
}
