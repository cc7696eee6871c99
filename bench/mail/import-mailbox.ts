import { flagSet } from '../../src/areas/mail/changes/flags.ts';
import type { MailboxOwner } from '../../src/areas/mail/service.ts';
import type { Services } from '../../src/start/composition.ts';
import { type GeneratedMessage, generateMail, rfc822 } from './generated-mail.ts';
import { IMPORTED_BY, mailboxDirectory } from './mailboxes.ts';

/** Messages under way at once. */
const AT_ONCE = 16;

/** A message and where it comes in. */
export type ImportedMessage = Pick<GeneratedMessage, 'folder' | 'flags' | 'labels'> & {
  readonly rfc822: string;
};

/** A data directory with a mailbox of so many messages that came in through the product's own door. */
export function importedMailbox(messages: number): Promise<string> {
  return mailboxDirectory(
    `imported-${messages}`,
    (services, owner) => importMail(services, owner, generatedMessages(messages)),
    IMPORTED_BY,
  );
}

function* generatedMessages(count: number): Generator<ImportedMessage> {
  for (const message of generateMail(count)) {
    const { folder, flags, labels } = message;
    yield { folder, flags, labels, rfc822: rfc822(message) };
  }
}

/** Appends messages to a mailbox, several at once, in about their order. */
export async function importMail(
  services: Services,
  owner: MailboxOwner,
  mail: Generator<ImportedMessage>,
): Promise<void> {
  const folders = new Map<string, Promise<string>>();
  const takeFrom = async () => {
    for (let next = mail.next(); !next.done; next = mail.next()) {
      const { folder } = next.value;
      const folderId = folders.get(folder) ?? ensureFolder(services, owner, folder);
      folders.set(folder, folderId);
      await importOne(services, owner, await folderId, next.value);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeFrom));
}

function ensureFolder({ database, mail }: Services, owner: MailboxOwner, name: string): Promise<string> {
  return database.write((tx) => mail.ensureFolder(tx, owner, name));
}

async function importOne(
  { database, mail }: Services,
  owner: MailboxOwner,
  folderId: string,
  { flags, labels, rfc822 }: ImportedMessage,
): Promise<void> {
  const staged = await mail.receive(bytesOf(rfc822));
  const arrival = { folderId, flags: flagSet(flags), labels, threading: true, deliveredAt: Date.now() };
  await database.write((tx) => mail.append(tx, owner, arrival, staged));
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
