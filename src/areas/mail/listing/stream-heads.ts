import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { arraysIn, integerAt } from '../../../storage/query/json-parameters.ts';
import { type Statement, statement } from '../../../storage/query/statement.ts';
import type { MailboxOwner } from '../owner.ts';
import { isInStream, isOfWorkspace, type MessagePosition, type Stream } from './listing-query.ts';

interface Values extends MessagePosition {
  workspaceId: string;
  /** JSON array of arrays: folder and flags. */
  streams: string;
  limit: number;
}

type HeadStatement = Statement<ReadTransaction, Values, { position: number }>;

const ofFlags = { any: headStatement(false), exactly: headStatement(true) };

/** After every place. */
const END: MessagePosition = { date: Number.MAX_SAFE_INTEGER, number: 0 };

/**
 * Of many streams, each of a folder, those whose newest messages after a place are the newest: as many as a page has
 * messages, for a page has none of the others. Finding them costs two looks into the index of each.
 */
export async function newestStreams(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  streams: readonly Stream[],
  after: MessagePosition = END,
  limit: number,
): Promise<Stream[]> {
  const newest = streams[0]?.flags === undefined ? ofFlags.any : ofFlags.exactly;
  const rows = streams.map(({ folderNumber, flags }, i) => [i, folderNumber, flags]);
  const { date, number } = after;
  const found = await newest(tx, { workspaceId, streams: JSON.stringify(rows), date, number, limit });
  return found.map(({ position }) => streams[Number(position)]).filter((stream) => stream !== undefined);
}

function headStatement(hasFlags: boolean): HeadStatement {
  return statement((tx, p: Values) => {
    const head = headOf(tx, p, hasFlags);
    return tx
      .selectFrom(arraysIn(tx, p.streams, 'e'))
      .select(integerAt('e', 0).as('position'))
      .orderBy(head.select('m.date'), (order) => order.desc().nullsLast())
      .orderBy(head.select('m.number'), (order) => order.desc().nullsLast())
      .limit(p.limit);
  });
}

/** The newest message of the stream `e`. */
function headOf(tx: ReadTransaction, p: Values, hasFlags: boolean) {
  const ofStream = hasFlags
    ? isInStream('m', integerAt('e', 1), integerAt('e', 2))
    : sql<boolean>`m.folder_number = ${integerAt('e', 1)}`;
  return tx
    .selectFrom('message_states as m')
    .where(isOfWorkspace(tx, 'm.workspace_id', p))
    .where(ofStream)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('m.date', 'm.number'), '<', tuple(p.date, p.number)))
    .orderBy('m.date', 'desc')
    .orderBy('m.number', 'desc')
    .limit(sql.lit(1));
}
