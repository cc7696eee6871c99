import { importMail } from '../mail/import-mailbox.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';
import { searchableMail } from './searchable-mail.ts';

/** No migration is among them: the server that opens the directory makes them. */
export const MAIL_MADE_BY: readonly string[] = [
  'bench/mail/{random,import-mailbox}.ts',
  'bench/search/searchable-mail.ts',
];

/** A data directory with so many messages to be searched for, which came in through the product's own door. */
export function searchableMailbox(messages: number): Promise<string> {
  return mailboxDirectory(
    `searchable-${messages}`,
    (services, owner) => importMail(services, owner, searchableMail(messages)),
    MAIL_MADE_BY,
  );
}
