import type { ParsedMessage } from '../../../formats/messages/message.ts';
import type { Database } from '../../../storage/database.ts';
import { onBehalfOf, userKey } from '../../../turns/current-user.ts';
import { TooManyWaiting } from '../../../turns/fair-queue.ts';
import { Thread } from '../../../turns/thread.ts';
import type { MailboxOwner } from '../owner.ts';
import type { RunningFilter } from './evaluation.ts';
import { type EnabledFilter, listEnabledFilters } from './filter-store.ts';
import { type FilteredMessage, filteredMessage, sizeOf } from './filtered-message.ts';
import type { MatchingRequest } from './match-rules-worker.ts';
import { MessageTexts } from './message-texts.ts';
import { fitsIntoTurn, portionsOf, preparedRule } from './prepared-rules.ts';

/** By user, the filters that match a message, in the order in which they run. */
export type Matching = ReadonlyMap<string, readonly RunningFilter[]>;

/** A portion of rules takes a second or two at most. */
const TIMEOUT_MS = 15_000;
const HEAP_MEGABYTES = 512;

const thread = new Thread<MatchingRequest, boolean[]>({
  module: new URL('./match-rules-worker.ts', import.meta.url),
  timeoutMs: TIMEOUT_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/**
 * Which of these stored rules match a message: evaluated within one turn of the event loop if that is short, else in a
 * worker thread. A rule that exceeds the time or memory of the thread does not match. Rejects with TooManyWaiting.
 */
export async function matchRules(message: FilteredMessage, rules: readonly string[]): Promise<boolean[]> {
  const size = sizeOf(message);
  if (fitsIntoTurn(size, rules)) {
    const texts = new MessageTexts(message);
    return rules.map((rule) => preparedRule(rule).matches(texts));
  }
  const matches: boolean[] = [];
  for (const portion of portionsOf(size, rules)) {
    const found = await thread.ask({ message, rules: portion }, size).catch((cause) => {
      if (cause instanceof TooManyWaiting) throw cause;
      return portion.map(() => false);
    });
    matches.push(...found);
  }
  return matches;
}

/**
 * Evaluates the filters of mailboxes on a message before the transaction that delivers it: the transaction must not
 * wait for a worker thread. Rejects with TooManyWaiting.
 */
export async function matchBeforeDelivery(
  database: Database,
  findOwners: () => Promise<readonly MailboxOwner[]>,
  { parsed, size }: { parsed: ParsedMessage; size: number },
): Promise<Matching> {
  const message = filteredMessage(parsed, size);
  const owners = await findOwners();
  const enabled = await database.read((tx) =>
    Promise.all(owners.map((owner) => listEnabledFilters(tx, owner))),
  );
  const matching = new Map<string, readonly RunningFilter[]>();
  for (const [i, owner] of owners.entries()) {
    const found = onBehalfOf(userKey(owner), () => matchFilters(message, enabled[i] ?? []));
    matching.set(owner.userId, await found);
  }
  return matching;
}

async function matchFilters(
  message: FilteredMessage,
  filters: readonly EnabledFilter[],
): Promise<RunningFilter[]> {
  const matches = await matchRules(
    message,
    filters.map(({ rule }) => rule),
  );
  return filters
    .filter((_, i) => matches[i] === true)
    .map(({ id, name, rule }) => ({ id, name, rule: JSON.parse(rule) }));
}
