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

/** What a request names, each once, and each message at the place of its id, or undefined where it is not there. */
export interface Named {
  ids: readonly string[];
  found: readonly (BatchMessage | undefined)[];
}

/** What each of several requests names of a folder. The folder is the owner's, and the mailbox lock is held. */
export async function findNamed(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folder: FoundFolder,
  requests: readonly { messageIds: readonly string[] }[],
): Promise<Named[]> {
  const found = await findBatch(
    tx,
    owner,
    folder.number,
    requests.flatMap(({ messageIds }) => messageIds),
  );
  let end = 0;
  return requests.map(({ messageIds }) => {
    const start = end;
    end += messageIds.length;
    return withoutRepeats({ ids: messageIds, found: found.slice(start, end) });
  });
}

/** Messages are told apart by their numbers: comparing all the texts takes a fifth of finding them. */
function withoutRepeats(named: Named): Named {
  const { ids, found } = named;
  if (new Set(found.map((message) => message?.number)).size === ids.length) return named;
  const first = new Map(ids.map((id, place) => [id, place] as const).reverse());
  const isFirst = (_: unknown, place: number) => first.get(ids[place] ?? '') === place;
  return { ids: ids.filter(isFirst), found: found.filter(isFirst) };
}

/** The messages that a request names, in the order asked; where not all are there, ApiError messages_not_in_folder. */
export function batchOf({ ids, found }: Named): Outcome<BatchMessage[]> {
  const batch = found.filter((message) => message !== undefined);
  if (batch.length === ids.length) return batch;
  const missing = ids.filter((_, place) => !found[place]);
  return new ApiError(
    'messages_not_in_folder',
    `${missing.length} of the messages are not in the folder; nothing was changed.`,
    { message_ids: missing },
  );
}
