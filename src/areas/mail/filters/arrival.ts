import type { ParsedMessage } from '../../../formats/messages/message.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { ensureFolder } from '../folders/folders.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  evaluate,
  type FilterOutcome,
  type FlagChange,
  outcomeOf,
  type PreparedFilter,
  type RunningFilter,
} from './evaluation.ts';
import { type EnabledFilter, listEnabledFilters } from './filter-store.ts';
import { filteredMessage } from './filtered-message.ts';
import { MessageTexts } from './message-texts.ts';
import { fitsIntoTurn, preparedRule } from './prepared-rules.ts';
import type { Action } from './schema.ts';

/** A filter that acted on a message, as the full record of the message shows it. */
export interface AppliedFilter {
  filter_id: string;
  name: string;
  actions: readonly Action[];
}

/** Thrown where holding a message against filters takes longer than a transaction may: that is to be done before it. */
export class HeavyFilters extends Error {}

/** What the filters of a mailbox make of a message that arrives. */
export interface FilteredArrival {
  /** The message is to be stored nowhere. */
  discarded: boolean;
  /** Where a filter moves it; undefined when none does, or when it is discarded. */
  folderId: string | undefined;
  flags: FlagChange;
  /** The filters that acted, in the order in which they ran. */
  applied: readonly AppliedFilter[];
}

/**
 * Runs the enabled filters of a mailbox over a message that arrives, before it is stored: what they say is for the
 * caller to do, with `changedFlags` for the flags and `applied` for storeMessage. A folder that a filter moves the
 * message to is there afterwards, for which the mailbox lock is taken. One query where the mailbox has no filters, none
 * where it was told before which of them match (matchBefore). Throws HeavyFilters.
 */
export async function filterArrival(
  tx: WriteTransaction,
  owner: MailboxOwner,
  texts: MessageTexts,
  matchedBefore?: readonly RunningFilter[],
): Promise<FilteredArrival> {
  const outcome = matchedBefore ? outcomeOf(matchedBefore) : await outcomeWithin(tx, owner, texts);
  const { matching, discarded, folder, flags } = outcome;
  const isMoved = folder !== undefined && !discarded;
  const folderId = isMoved ? await ensureFolder(tx, owner, folder) : undefined;
  return { discarded, folderId, flags, applied: matching.map(appliedFilter) };
}

/** Throws HeavyFilters. */
async function outcomeWithin(
  tx: WriteTransaction,
  owner: MailboxOwner,
  texts: MessageTexts,
): Promise<FilterOutcome> {
  const filters = await listEnabledFilters(tx, owner);
  const rules = filters.map(({ rule }) => rule);
  if (!fitsIntoTurn(texts.size, rules)) throw new HeavyFilters();
  return evaluate(filters.map(preparedFilter), texts);
}

function preparedFilter({ id, name, rule: text }: EnabledFilter): PreparedFilter {
  const { rule, matches } = preparedRule(text);
  return { filter: { id, name, rule }, matches };
}

/** The texts of a message that filters see: for all of its recipients, so that it is folded once. */
export function textsOf(message: ParsedMessage): MessageTexts {
  return new MessageTexts(filteredMessage(message));
}

function appliedFilter({ id, name, rule }: RunningFilter): AppliedFilter {
  return { filter_id: id, name, actions: rule.actions };
}
