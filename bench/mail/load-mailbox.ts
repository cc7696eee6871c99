import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { flagSet } from '../../src/areas/mail/changes/flags.ts';
import { insertLabels } from '../../src/areas/mail/changes/label-store.ts';
import type { MailboxOwner } from '../../src/areas/mail/service.ts';
import { jsonMembers } from '../../src/contract/json.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Services } from '../../src/start/composition.ts';
import { FOLDERS, type GeneratedMessage, generateMail } from './generated-mail.ts';
import { mailboxDirectory } from './mailboxes.ts';

const INSERT_MESSAGE =
  'insert into messages (workspace_id, user_id, id, thread_id, summary) values (?, ?, ?, ?, ?)';
const INSERT_STATE = `insert into message_states (number, workspace_id, folder_number, date, flags, labels)
  values (?, ?, (select number from mail_folders where id = ?), ?, ?, ?)`;
const COUNT = `insert into mail_folder_counts (workspace_id, user_id, folder_id, flags, messages)
  select f.workspace_id, f.user_id, f.id, m.flags, count(*)
  from message_states as m join mail_folders as f on f.number = m.folder_number group by 1, 2, 3, 4`;
const A_TRANSACTION = 50_000;
const LABELLED_AT_ONCE = 1_000;

/**
 * A data directory with a mailbox of so many messages as an import would leave it for listing: written straight into
 * the tables, without the bytes and the full records of the messages.
 */
export function loadedMailbox(messages: number): Promise<string> {
  return mailboxDirectory(`loaded-${messages}`, async (services, owner, dataDir) => {
    const folders = await makeFolders(services, owner);
    const db = new DatabaseSync(join(dataDir, 'atrium.sqlite'));
    try {
      db.exec('pragma synchronous = off; pragma cache_size = -500000');
      insertAll(db, owner, folders, messages);
    } finally {
      db.close();
    }
    await labelAll(services, owner);
  });
}

async function makeFolders(
  { database, mail }: Services,
  owner: MailboxOwner,
): Promise<ReadonlyMap<string, string>> {
  const names = FOLDERS.map(([name]) => name);
  const ids = await database.write((tx) =>
    Promise.all(names.map((name) => mail.ensureFolder(tx, owner, name))),
  );
  return new Map(names.map((name, i) => [name, ids[i] ?? '']));
}

function insertAll(
  db: DatabaseSync,
  owner: MailboxOwner,
  folders: ReadonlyMap<string, string>,
  count: number,
): void {
  const insert = inserter(db, owner, folders);
  let inserted = 0;
  db.exec('begin');
  for (const message of generateMail(count)) {
    insert(message);
    if (++inserted % A_TRANSACTION === 0) db.exec('commit; begin');
  }
  db.exec(COUNT);
  db.exec('commit');
}

function inserter(
  db: DatabaseSync,
  { workspaceId, userId }: MailboxOwner,
  folders: ReadonlyMap<string, string>,
): (message: GeneratedMessage) => void {
  const insertMessage = db.prepare(INSERT_MESSAGE);
  const insertState = db.prepare(INSERT_STATE);
  const threads = new Map<string, string>();
  return (message) => {
    const { conversation, labels, receivedAt } = message;
    const [id, folderId, flags] = [
      newId('msg'),
      folders.get(message.folder) ?? '',
      BigInt(flagSet(message.flags)),
    ];
    const threadId = threads.get(conversation) ?? newId('thr');
    threads.set(conversation, threadId);
    const summary = summaryOf(message, id, threadId);
    const { lastInsertRowid } = insertMessage.run(workspaceId, userId, id, threadId, summary);
    insertState.run(lastInsertRowid, workspaceId, folderId, receivedAt, flags, JSON.stringify(labels));
  };
}

async function labelAll({ database }: Services, owner: MailboxOwner): Promise<void> {
  for (let after = 0; ; ) {
    const labelled = await database.read((tx) =>
      tx
        .selectFrom('message_states')
        .select(['number', 'labels'])
        .where('workspace_id', '=', owner.workspaceId)
        .where('number', '>', after)
        .where('labels', '!=', '[]')
        .orderBy('number')
        .limit(LABELLED_AT_ONCE)
        .execute(),
    );
    await database.write((tx) => insertLabels(tx, owner, labelled));
    if (labelled.length < LABELLED_AT_ONCE) return;
    after = labelled.at(-1)?.number ?? 0;
  }
}

/** The part of a summary that the product keeps as text. */
function summaryOf(message: GeneratedMessage, id: string, threadId: string): string {
  const { attachmentBytes, from, messageId, receivedAt, subject, textBytes } = message;
  const size = textBytes + attachmentBytes;
  const date = new Date(receivedAt).toISOString();
  const has_attachments = attachmentBytes > 0;
  return jsonMembers({
    id,
    thread_id: threadId,
    subject,
    from,
    date,
    sent_at: date,
    size,
    has_attachments,
    message_id: messageId,
  });
}
