import type { WriteTransaction } from '../../src/storage/database.ts';
import type { ExpungedMessages, MessageStates } from '../../src/storage/schema/tables.ts';

/** Puts messages straight into the tables, without counts and the rows of their labels; answers their states. */
export async function insertMessages(
  tx: WriteTransaction,
  messages: readonly Omit<ExpungedMessages, 'number'>[],
): Promise<MessageStates[]> {
  const rows = messages.map(({ workspace_id, user_id, id, thread_id, summary }) => ({
    workspace_id,
    user_id,
    id,
    thread_id,
    summary,
  }));
  const inserted = await tx.insertInto('messages').values(rows).returning(['number', 'id']).execute();
  const numbers = new Map(inserted.map(({ number, id }) => [id, number]));
  const states = messages.map(({ id, workspace_id, folder_number, date, flags, labels }) => ({
    number: numbers.get(id) ?? 0,
    workspace_id,
    folder_number,
    date,
    flags,
    labels,
  }));
  await tx.insertInto('message_states').values(states).execute();
  return states;
}
