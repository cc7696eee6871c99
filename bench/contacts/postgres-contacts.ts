import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { contactRow } from '../../src/areas/contacts/contacts/contact-row.ts';
import { newIdentity } from '../../src/areas/contacts/contacts/contacts.ts';
import type { ContactsOwner } from '../../src/areas/contacts/service.ts';
import { openServices } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { ensureFirstWorkspace } from '../../src/start/first-workspace.ts';
import { OWNER_KEY } from '../mail/servers.ts';
import { generateContacts } from './generated-contacts.ts';

const ROWS_A_STATEMENT = 5_000;
const COLUMNS = `workspace_id, user_id, id, address_book_id, uid, trashed, is_named, place, search_text, record`;
const INSERT_CONTACTS = `insert into contacts (${COLUMNS})
  select ${COLUMNS} from json_populate_recordset(null::contacts, $1)`;
const COUNT = 'update address_books set contact_count = (select count(*) from contacts)';
/** As text/grams.ts makes them; the key comes last, because an index is sorted faster than it grows. */
const GRAMS = `
  set maintenance_work_mem = '1GB';
  alter table contact_grams drop constraint contact_grams_key;
  insert into contact_grams (workspace_id, address_book_id, trashed, gram, place, number)
    select distinct workspace_id, address_book_id, trashed, substr(line, i, 3) collate "C", place, number
    from contacts, string_to_table(search_text, E'\\n') as line, generate_series(1, length(line)) as i;
  alter table contact_grams add constraint contact_grams_key
    primary key (workspace_id, address_book_id, trashed, gram, place, number);
  vacuum analyze contacts;
  vacuum analyze contact_grams`;

/** The settings that serve a database with contacts of one user. */
type Settings = Record<'ATRIUM_DATA_DIR' | 'ATRIUM_DATABASE_URL', string>;

/**
 * Makes a database on the server that the URL names, with so many contacts as imports would leave them. Its data
 * directory, which holds next to nothing, is left to the system, as other directories of benchmarks are.
 */
export async function loadedPostgres(serverUrl: string, count: number): Promise<Settings> {
  const databaseUrl = await createDatabase(serverUrl, `contacts_${count}`);
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bench-postgres-'));
  const settings = { ATRIUM_DATA_DIR: dataDir, ATRIUM_DATABASE_URL: databaseUrl };
  const { owner, bookId } = await foundedWith(settings);
  await connected(databaseUrl, async (client) => {
    for (const rows of portions(generateContacts(count))) {
      const made = await Promise.all(rows.map((fields) => contactRow(newIdentity(owner, bookId), fields)));
      await client.query(INSERT_CONTACTS, [JSON.stringify(made)]);
    }
    for (const statement of [...GRAMS.split(';'), COUNT]) await client.query(statement);
  });
  return settings;
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await connected(serverUrl, (client) => client.query(`create database ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function foundedWith(settings: Settings): Promise<{ owner: ContactsOwner; bookId: string }> {
  const config = readConfig({ ...settings, ATRIUM_OWNER_KEY: OWNER_KEY });
  const services = await openServices(config);
  const { database, directory, contacts } = services;
  try {
    await ensureFirstWorkspace(services, config);
    return await database.read(async (tx) => {
      const owner = await directory.findUser(tx, config.ownerEmail);
      const [book] = owner ? await contacts.listBooks(tx, owner) : [];
      if (!owner || !book) throw new Error(`${config.ownerEmail} has no address book`);
      return { owner, bookId: book.id };
    });
  } finally {
    await services.close();
  }
}

async function connected(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function* portions<T>(all: Iterable<T>): Generator<T[]> {
  let portion: T[] = [];
  for (const one of all) {
    portion.push(one);
    if (portion.length < ROWS_A_STATEMENT) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
