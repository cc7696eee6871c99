/**
 * What a page of contacts takes that nobody has asked for before, among 1,000,000 contacts of one user beside 20,000, on
 * both engines. To reach: 1.3 times the time for every search that fills its page on both sides.
 */
import { contactPages, pageOfContacts } from '../src/areas/contacts/search/listing.ts';
import type { ContactsOwner } from '../src/areas/contacts/service.ts';
import { openServices, type Services } from '../src/start/composition.ts';
import { readConfig } from '../src/start/config.ts';
import { startPostgres } from '../test/postgres.ts';
import { loadedContacts } from './contacts/load-contacts.ts';
import { loadedPostgres } from './contacts/postgres-contacts.ts';
import { inTurns } from './mail/measuring.ts';
import type { Figure } from './report.ts';

const MANY = 1_000_000;
const FEW = 20_000;
const ROUNDS = 5;
const PAGES_A_ROUND = 100;
const SEARCHES: Record<string, string> = {
  'no search': '',
  'three characters': 'ber',
  'three characters of a domain': 'com',
  'a domain': 'example.com',
  'part of a name': 'anber',
  'two words, common both': 'n b',
  'digits and a domain': '7@corp',
  'two characters': 'qu',
  'one character': 'a',
  'grams that many have and nobody together': 'elisfre',
  'one character three times': 'aaa',
  'characters that nobody has': '日本語',
};

/** A database with contacts of its first user. */
interface Contacts {
  services: Services;
  owner: ContactsOwner;
}

export async function bench(): Promise<Figure[]> {
  return [...(await onSqlite()), ...(await onPostgres())];
}

async function onSqlite(): Promise<Figure[]> {
  const [many, few] = [await loadedContacts(MANY), await loadedContacts(FEW)];
  return withContacts({ ATRIUM_DATA_DIR: many }, (many) =>
    withContacts({ ATRIUM_DATA_DIR: few }, (few) => measure('SQLite', many, few)),
  );
}

async function onPostgres(): Promise<Figure[]> {
  const server = await startPostgres();
  try {
    const [many, few] = [await loadedPostgres(server.url, MANY), await loadedPostgres(server.url, FEW)];
    return await withContacts(many, (many) => withContacts(few, (few) => measure('PostgreSQL', many, few)));
  } finally {
    await server.stop();
  }
}

async function withContacts<T>(
  settings: Record<string, string>,
  work: (contacts: Contacts) => Promise<T>,
): Promise<T> {
  const config = readConfig(settings);
  const services = await openServices(config);
  try {
    const owner = await services.database.read((tx) => services.directory.findUser(tx, config.ownerEmail));
    if (!owner) throw new Error(`There is no user ${config.ownerEmail}`);
    return await work({ services, owner });
  } finally {
    await services.close();
  }
}

async function measure(engine: string, many: Contacts, few: Contacts): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, q] of Object.entries(SEARCHES)) {
    const found = `${await pageOf(many, q)} beside ${await pageOf(few, q)} found`;
    const pair = await inTurns({ value: () => time(many, q), ceiling: () => time(few, q) }, ROUNDS);
    figures.push({ name: `${engine}, ${MANY} beside ${FEW}: ${name} (${found})`, unit: 'µs', ...pair });
  }
  return figures;
}

/** Microseconds of a page. */
async function time(contacts: Contacts, q: string): Promise<number> {
  const begin = performance.now();
  for (let i = 0; i < PAGES_A_ROUND; i++) await pageOf(contacts, q);
  return ((performance.now() - begin) / PAGES_A_ROUND) * 1_000;
}

/** Reads a page from the database: nothing that was read before is remembered. Answers how many are on it. */
async function pageOf({ services, owner }: Contacts, q: string): Promise<number> {
  const filter = { bookId: undefined, q, trashed: false };
  const page = { limit: 50, after: undefined };
  const { count } = await services.database.read((tx) =>
    pageOfContacts(tx, contactPages(), owner, filter, page),
  );
  return count;
}
