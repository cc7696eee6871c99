import type { ParsedMessage } from '../../../formats/messages/message.ts';
import { Thread } from '../../../formats/thread.ts';
import type { Database } from '../../../storage/database.ts';
import { onBehalfOf, userKey } from '../../../turns/current-user.ts';
import { TooManyWaiting } from '../../../turns/fair-queue.ts';
import type { MailboxOwner } from '../owner.ts';
import type { RunningFilter } from './evaluation.ts';
import { type EnabledFilter, listEnabledFilters } from './filter-store.ts';
import { type FilteredMessage, filteredMessage, sizeOf } from './filtered-message.ts';
import type { MatchingQuestion } from './matching-worker.ts';
import { MessageTexts } from './message-texts.ts';
import { fitsIntoTurn, portionsOf, preparedRule } from './prepared-rules.ts';

/** The filters that match a message, in the order in which they run, by the user whose mailbox they are of. */
export type Matching = ReadonlyMap<string, readonly RunningFilter[]>;

/** A portion of rules takes a second or two at most. */
const ANSWER_WITHIN_MS = 15_000;
const HEAP_MEGABYTES = 512;

const thread = new Thread<MatchingQuestion, boolean[]>({
  module: new URL('./matching-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/**
 * Which of these rules, as they are stored, match a message: told within one turn of the event loop, or by a thread. One that
 * the thread cannot hold against it in time or memory does not match. Rejects with TooManyWaiting.
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
 * Holds a message against the filters of mailboxes before the transaction that delivers it, which must not wait for a
 * thread. Rejects with TooManyWaiting.
 */
export async function matchBefore(
  database: Database,
  findOwners: () => Promise<readonly MailboxOwner[]>,
  parsed: ParsedMessage,
): Promise<Matching> {
  const message = filteredMessage(parsed);
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
