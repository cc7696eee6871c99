import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { contactRow } from '../../src/areas/contacts/contacts/contact-row.ts';
import type { ContactRow } from '../../src/areas/contacts/contacts/contact-store.ts';
import { newIdentity } from '../../src/areas/contacts/contacts/contacts.ts';
import type { ContactsOwner } from '../../src/areas/contacts/service.ts';
import { gramsOf } from '../../src/text/grams.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';
import { generateContacts } from './generated-contacts.ts';

const INSERT_CONTACT = `insert into contacts
  (number, workspace_id, user_id, id, address_book_id, uid, trashed, is_named, place, search_text, record)
  values (?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?)`;
const INSERT_GRAM = `insert into contact_grams (workspace_id, address_book_id, trashed, gram, place, number)
  values (?, ?, 0, ?, ?, ?)`;
const COUNT = 'update address_books set contact_count = ? where id = ?';
const A_TRANSACTION = 500_000;

/**
 * A data directory with so many contacts of one user as imports would leave them: written straight into the tables, in
 * the order of their keys.
 */
export function loadedContacts(count: number): Promise<string> {
  return mailboxDirectory(`contacts-${count}`, async ({ database, contacts }, owner, dataDir) => {
    const [book] = await database.read((tx) => contacts.listBooks(tx, owner));
    if (!book) throw new Error('The owner has no address book');
    const db = new DatabaseSync(join(dataDir, 'atrium.sqlite'));
    try {
      db.exec('pragma synchronous = off; pragma cache_size = -500000');
      await insertAll(db, owner, book.id, count);
      db.prepare(COUNT).run(BigInt(count), book.id);
    } finally {
      db.close();
    }
  });
}

async function insertAll(
  db: DatabaseSync,
  owner: ContactsOwner,
  bookId: string,
  count: number,
): Promise<void> {
  const insert = db.prepare(INSERT_CONTACT);
  const rows: ContactRow[] = [];
  for (const fields of generateContacts(count))
    rows.push(await contactRow(newIdentity(owner, bookId), fields));
  rows.sort((a, b) => (a.place < b.place ? -1 : 1));
  db.exec('begin');
  for (const [i, row] of rows.entries()) insertRow(insert, numberOf(i), row);
  db.exec('commit');
  insertGrams(db, owner, bookId, rows);
}

/** By the place of its row among all. */
function numberOf(i: number): number {
  return i + 1;
}

function insertRow(insert: StatementSync, number: number, row: ContactRow): void {
  const { workspace_id, user_id, id, address_book_id, uid, place, search_text, record } = row;
  insert.run(number, workspace_id, user_id, id, address_book_id, uid, place, search_text, record);
}

function insertGrams(
  db: DatabaseSync,
  { workspaceId }: ContactsOwner,
  bookId: string,
  rows: readonly ContactRow[],
): void {
  const insert = db.prepare(INSERT_GRAM);
  let inserted = 0;
  db.exec('begin');
  for (const [gram, holders] of holdersOfGrams(rows)) {
    for (const holder of holders) {
      insert.run(workspaceId, bookId, gram, rows[holder]?.place ?? '', numberOf(holder));
      if (++inserted % A_TRANSACTION === 0) db.exec('commit; begin');
    }
  }
  db.exec('commit');
}

/** By gram, in order: which rows have it, in their order. */
function holdersOfGrams(rows: readonly ContactRow[]): [string, number[]][] {
  const holders = new Map<string, number[]>();
  for (const [i, { search_text }] of rows.entries()) {
    for (const gram of gramsOf(search_text)) {
      const found = holders.get(gram);
      if (found) found.push(i);
      else holders.set(gram, [i]);
    }
  }
  return [...holders].sort(([a], [b]) => (a < b ? -1 : 1));
}
