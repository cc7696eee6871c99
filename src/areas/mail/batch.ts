import { ApiError } from '../../api/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { type BatchMessage, findBatch } from './batch-store.ts';
import type { FoundFolder } from './folder-store.ts';
import type { MailboxOwner } from './owner.ts';

/** What a request comes to, or the ApiError that it is refused with. */
export type Outcome<T> = T | ApiError;

/** Whether a request was not refused. */
export function isAdmitted<T>(outcome: Outcome<T>): outcome is T {
  return !(outcome instanceof ApiError);
}

/** What a request came to that was alone. Throws the ApiError that it was refused with. */
export function admitted<T>([outcome]: readonly Outcome<T>[]): T {
  if (outcome === undefined) throw new TypeError('A request was passed over');
  if (!isAdmitted(outcome)) throw outcome;
  return outcome;
}

/** Requests in portions of those that follow each other and ask for the same, so that what they name is one batch. */
export function runsOf<R>(requests: readonly R[], askedBy: (request: R) => string): R[][] {
  const runs: R[][] = [];
  let last: string | undefined;
  for (const request of requests) {
    const asked = askedBy(request);
    if (asked === last) runs.at(-1)?.push(request);
    else runs.push([request]);
    last = asked;
  }
  return runs;
}

/**
 * The messages of a folder that each of several requests names, in the order asked, each once; where not all are there,
 * ApiError messages_not_in_folder with those that are not. The folder is the owner's, and the mailbox lock is held.
 */
export async function batchesIn(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folder: FoundFolder,
  requests: readonly { messageIds: readonly string[] }[],
): Promise<Outcome<BatchMessage[]>[]> {
  const asked = requests.map(({ messageIds }) => [...new Set(messageIds)]);
  const found = await findBatch(tx, owner, folder.number, asked.flat());
  let end = 0;
  return asked.map((ids) => {
    const start = end;
    end += ids.length;
    return batchOf(ids, found.slice(start, end));
  });
}

function batchOf(
  asked: readonly string[],
  found: readonly (BatchMessage | undefined)[],
): Outcome<BatchMessage[]> {
  const batch = found.filter((message) => message !== undefined);
  if (batch.length === asked.length) return batch;
  return notInFolder(asked.filter((_, place) => !found[place]));
}

/** The refusal of a request for messages of which these are not in the folder. */
export function notInFolder(missing: readonly string[]): ApiError {
  return new ApiError(
    'messages_not_in_folder',
    `${missing.length} of the messages are not in the folder; nothing was changed.`,
    { message_ids: missing },
  );
}
