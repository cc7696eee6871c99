import { BlobMissing, BlobsUnavailable } from '../../../blobs/blob-store.ts';
import { type MessageHead, parseHead } from '../../../formats/messages/parse.ts';
import type { Database } from '../../../storage/database.ts';
import { nextTurn } from '../../../turns/next-turn.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import { locationOf } from './content-store.ts';
import {
  listOldMessages,
  type OldMessage,
  removeOldMessage,
  replaceSummary,
} from './rebuild-summaries-store.ts';
import { remadeSummary } from './record.ts';

/** Messages of one transaction: their raw bytes, of up to 100 KiB each, are in memory at once. */
const MESSAGES_AT_ONCE = 100;

/** A header section as far as it is read: null where its bytes are lost, undefined where their store is away. */
type ReadHead = Pick<MessageHead, 'from' | 'sentAt'> | undefined;

/**
 * Makes the summaries anew that an earlier version has stored: the sender in the form of today, the Date header, and
 * whether there are attachments. Runs before the first request; without such messages it is one short query. A message
 * whose bytes cannot be reached now gets what its record tells, and the rest at a later start. Several nodes may run it
 * at once.
 */
export async function rebuildSummaries(database: Database, staging: MessageStaging): Promise<void> {
  let after = { workspaceId: '', number: -1 };
  for (;;) {
    const position = after;
    const messages = await database.read((tx) => listOldMessages(tx, position, MESSAGES_AT_ONCE));
    const last = messages.at(-1);
    if (!last) return;
    await remake(database, staging, messages);
    after = { workspaceId: last.workspace_id, number: last.number };
    await nextTurn();
  }
}

async function remake(
  database: Database,
  staging: MessageStaging,
  messages: readonly OldMessage[],
): Promise<void> {
  const heads = await Promise.all(messages.map((message) => headOf(staging, message)));
  await database.write(async (tx) => {
    for (const [i, message] of messages.entries()) {
      const head = heads[i];
      const remade = message.summary === null ? '' : remadeSummary(message.summary, message.record, head);
      // One that has changed meanwhile was written by this version, or is taken up again by the next start.
      const isMade = await replaceSummary(tx, message, remade);
      if (isMade && head !== undefined) await removeOldMessage(tx, message);
    }
  });
}

async function headOf(staging: MessageStaging, message: OldMessage): Promise<ReadHead> {
  try {
    const { from, sentAt } = await parseHead(await staging.open(locationOf(message)));
    return { from, sentAt };
  } catch (error) {
    if (error instanceof BlobMissing) return { from: null, sentAt: null };
    if (error instanceof BlobsUnavailable) return undefined;
    throw error;
  }
}
