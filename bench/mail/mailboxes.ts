import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MailboxOwner } from '../../src/areas/mail/service.ts';
import { openServices, type Services } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { ensureFirstWorkspace } from '../../src/start/first-workspace.ts';
import { OWNER_KEY } from './servers.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What a mailbox is made by: another version of these makes another mailbox. */
const MADE_BY = [
  'src/storage/schema/migrations/*.ts',
  'bench/mail/{random,generated-mail,import-mailbox,load-mailbox}.ts',
  'bench/contacts/*.ts',
  'bench/calendar/*.ts',
  'bench/documents/*.ts',
  'bench/files/drive.ts',
  'bench/search/searchable-mail.ts',
  'src/areas/contacts/contacts/contact-row.ts',
  'src/areas/drive/{listing/listing-order,record}.ts',
  'src/areas/spreadsheets/cells/{block,open-block}.ts',
  'src/text/grams.ts',
  'src/areas/calendar/availability/busy-patterns.ts',
  'src/areas/calendar/events/{definition,event-fields,holders,saving}.ts',
  'src/areas/calendar/recurrence/spans.ts',
  'src/formats/recurrence/named-days.ts',
];

/** What a mailbox is made by that came in through the product's own door. */
export const IMPORTED_BY: readonly string[] = [
  'src/storage/schema/migrations/*.ts',
  'bench/mail/{random,generated-mail,import-mailbox}.ts',
];

/** Puts mail into the mailbox of the owner; the data directory is that of the open services. */
export type Fill = (services: Services, owner: MailboxOwner, dataDir: string) => Promise<void>;

/** A data directory with a mailbox, kept for the next run; `madeBy`: the files that decide what is in it. */
export function mailboxDirectory(
  name: string,
  fill: Fill,
  madeBy: readonly string[] = MADE_BY,
): Promise<string> {
  return keptDirectory(name, madeBy, (directory) => make(directory, fill));
}

/**
 * A directory in the system's directory for temporary files. It is kept, so that the next run finds it: making it takes
 * longer than measuring. `madeBy`: the files, or patterns of them, that decide what is in it; where one is another, the
 * directory is made anew.
 */
export async function keptDirectory(
  name: string,
  madeBy: readonly string[],
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const prefix = `atrium-bench-${name}-`;
  const directory = join(tmpdir(), `${prefix}${digestOf(madeBy)}`);
  if (existsSync(directory)) return directory;
  for (const old of globSync(`${prefix}*`, { cwd: tmpdir() })) await remove(join(tmpdir(), old));
  const unfinished = `${directory}-unfinished`;
  // Of a run that was ended.
  await remove(unfinished);
  await make(unfinished);
  await rename(unfinished, directory);
  return directory;
}

async function make(directory: string, fill: Fill): Promise<void> {
  const config = readConfig({ ATRIUM_DATA_DIR: directory, ATRIUM_OWNER_KEY: OWNER_KEY });
  const services = await openServices(config);
  try {
    await ensureFirstWorkspace(services, config);
    const owner = await services.database.read((tx) => services.directory.findUser(tx, config.ownerEmail));
    if (!owner) throw new Error(`There is no user ${config.ownerEmail}`);
    await fill(services, owner, directory);
  } finally {
    await services.close();
  }
}

function digestOf(madeBy: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of globSync(madeBy, { cwd: ROOT }).sort()) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 12);
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}
