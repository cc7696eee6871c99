import type { ReadTransaction } from '../../../storage/database.ts';

/** The messages (t) with their states (m), the folders that they are in (f) and their contents (c), to be narrowed. */
export function messageRows(tx: ReadTransaction) {
  return tx
    .selectFrom('messages as t')
    .innerJoin('message_states as m', (join) =>
      join.onRef('m.workspace_id', '=', 't.workspace_id').onRef('m.number', '=', 't.number'),
    )
    .innerJoin('mail_folders as f', (join) =>
      join.onRef('f.workspace_id', '=', 'm.workspace_id').onRef('f.number', '=', 'm.folder_number'),
    )
    .innerJoin('message_contents as c', (join) =>
      join.onRef('c.workspace_id', '=', 't.workspace_id').onRef('c.number', '=', 't.number'),
    );
}
