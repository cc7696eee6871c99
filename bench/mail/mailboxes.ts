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
  'src/areas/contacts/contacts/contact-row.ts',
  'src/areas/drive/{listing/listing-order,record}.ts',
  'src/areas/spreadsheets/cells/{block,open-block}.ts',
  'src/text/grams.ts',
  'src/areas/calendar/availability/busy-patterns.ts',
  'src/areas/calendar/events/{definition,event-fields,holders,saving}.ts',
  'src/areas/calendar/recurrence/spans.ts',
  'src/formats/recurrence/named-days.ts',
];

/** Puts mail into the mailbox of the owner; the data directory is that of the open services. */
export type Fill = (services: Services, owner: MailboxOwner, dataDir: string) => Promise<void>;

/**
 * A data directory with a mailbox, in the system's directory for temporary files. It is kept, so that the next run
 * finds it: making it takes longer than measuring.
 */
export async function mailboxDirectory(name: string, fill: Fill): Promise<string> {
  const prefix = `atrium-bench-${name}-`;
  const directory = join(tmpdir(), `${prefix}${digestOfMakers()}`);
  if (existsSync(directory)) return directory;
  for (const old of globSync(`${prefix}*`, { cwd: tmpdir() })) await remove(join(tmpdir(), old));
  const unfinished = `${directory}-unfinished`;
  await make(unfinished, fill);
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

function digestOfMakers(): string {
  const hash = createHash('sha256');
  for (const file of globSync(MADE_BY, { cwd: ROOT }).sort()) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 12);
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}
