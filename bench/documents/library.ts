import type { DriveOwner } from '../../src/areas/documents/service.ts';
import type { Services } from '../../src/start/composition.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';

const DOCUMENTS = 5_000;
const AT_ONCE = 100;

/** A data directory with many documents, every fifth of them a spreadsheet. */
export function documentsDirectory(): Promise<string> {
  return mailboxDirectory(`documents-${DOCUMENTS}`, async (services, owner) => {
    for (let i = 0; i < DOCUMENTS; i += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => create(services, owner, i + k)));
    }
  });
}

async function create({ database, documents }: Services, owner: DriveOwner, i: number): Promise<void> {
  const type = i % 5 === 0 ? 'spreadsheet' : 'document';
  const given = {
    type,
    title: `Plan ${i}, as it was agreed upon`,
    metadata: { project: 'Atrium', number: i },
  } as const;
  const contents = await documents.prepare(owner, given);
  await database.write((tx) => documents.create(tx, owner, given, contents));
}
