import type { ParsedMessage } from '../../../formats/messages/message.ts';
import { Thread } from '../../../formats/thread.ts';
import type { Database } from '../../../storage/database.ts';
import { TooManyWaiting } from '../../../turns/fair-queue.ts';
import { onBehalfOf } from '../../../turns/for-whom.ts';
import type { MailboxOwner } from '../owner.ts';
import type { RunningFilter } from './evaluation.ts';
import { type EnabledFilter, listEnabledFilters } from './filter-store.ts';
import { type FilteredMessage, filteredMessage } from './filtered-message.ts';
import type { MatchingQuestion } from './matching-worker.ts';
import { MessageTexts } from './message-texts.ts';
import { preparedRule } from './prepared-rules.ts';

/** The filters that match a message, in the order in which they run, by the user whose mailbox they are of. */
export type Matching = ReadonlyMap<string, readonly RunningFilter[]>;

/** Whatever the rules of a mailbox are, a message of so many characters is held against all of them within a turn. */
const SMALL_MESSAGE = 4_000;
/** Texts of so many characters are folded within a turn. */
const FOLDED_AT_ONCE = 100_000;
/** Rules of so many characters are read within a turn. */
const READ_AT_ONCE = 100_000;
/** Characters, counted once for each condition, that are looked through within a turn. */
const SEARCHED_AT_ONCE = 2_000_000;

/** It bounds what rules that were made to take long can take; a mailbox full of others takes a second or two. */
const ANSWER_WITHIN_MS = 15_000;
const HEAP_MEGABYTES = 512;

const thread = new Thread<MatchingQuestion, boolean[]>({
  module: new URL('./matching-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/**
 * Which of these rules, as they are stored, match a message: told within one turn of the event loop, or by a thread. Rejects
 * with TooManyWaiting, and where the thread takes too long.
 */
export async function matchRules(message: FilteredMessage, rules: readonly string[]): Promise<boolean[]> {
  if (fitsIntoTurn(message, rules)) {
    const texts = new MessageTexts(message);
    return rules.map((rule) => preparedRule(rule).matches(texts));
  }
  return thread.ask({ message, rules }, sizeOf(message));
}

function fitsIntoTurn(message: FilteredMessage, rules: readonly string[]): boolean {
  const size = sizeOf(message);
  const characters = rules.reduce((sum, rule) => sum + rule.length, 0);
  if (size > FOLDED_AT_ONCE || characters > READ_AT_ONCE) return false;
  const conditions = rules.reduce((sum, rule) => sum + preparedRule(rule).rule.conditions.length, 0);
  return size * conditions <= SEARCHED_AT_ONCE;
}

function sizeOf({ subject, text, html, headers, from, to, cc }: FilteredMessage): number {
  const values = [subject, text, html, ...from, ...to, ...cc, ...headers.map(({ value }) => value)];
  return values.reduce((sum, value) => sum + value.length, 0);
}

/**
 * Holds a message against the filters of mailboxes before the transaction that delivers it, which must not wait for a
 * thread; undefined for a small message, which the transaction can do with.
 *
 * A filter that takes too long for a message does not match it: that decides where mail is shown, and never whether it is
 * received. Rejects with TooManyWaiting.
 */
export async function matchBefore(
  database: Database,
  findOwners: () => Promise<readonly MailboxOwner[]>,
  parsed: ParsedMessage,
): Promise<Matching | undefined> {
  const message = filteredMessage(parsed);
  if (sizeOf(message) <= SMALL_MESSAGE) return undefined;
  const owners = await findOwners();
  const enabled = await database.read((tx) =>
    Promise.all(owners.map((owner) => listEnabledFilters(tx, owner))),
  );
  const matching = new Map<string, readonly RunningFilter[]>();
  for (const [i, { userId }] of owners.entries()) {
    const found = onBehalfOf(userId, () => matchFilters(message, enabled[i] ?? []));
    matching.set(userId, await found);
  }
  return matching;
}

async function matchFilters(
  message: FilteredMessage,
  filters: readonly EnabledFilter[],
): Promise<RunningFilter[]> {
  const rules = filters.map(({ rule }) => rule);
  const matches = await matchRules(message, rules).catch((cause) => {
    if (cause instanceof TooManyWaiting) throw cause;
    return [];
  });
  return filters
    .filter((_, i) => matches[i] === true)
    .map(({ id, name, rule }) => ({ id, name, rule: JSON.parse(rule) }));
}
