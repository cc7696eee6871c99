import type { ParsedMessage } from '../../../formats/messages/message.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { labelsThatFit } from '../changes/flags.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import { ensureFolder } from '../folders/folders.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  combinedResult,
  evaluate,
  type FilterResult,
  type FlagChange,
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

/** Thrown when evaluating the filters would take too long inside a transaction: call matchBeforeDelivery first. */
export class HeavyFilters extends Error {}

/** The result of the filters of a mailbox for an arriving message. */
export interface FilteredArrival {
  /** Whether the message is not to be stored. */
  discarded: boolean;
  /** The folder that a filter moves it to; undefined when no filter does, or when it is discarded. */
  folder: FoundFolder | undefined;
  flags: FlagChange;
  /** As many of the labels that filters add as a message may carry, the first ones. */
  labels: readonly string[];
  /** The filters that acted, in the order in which they ran. */
  applied: readonly AppliedFilter[];
}

/**
 * Runs the enabled filters of a mailbox on an arriving message before it is stored. The caller applies the result:
 * `changedFlags` for the flags, `applied` for storeMessage. Creates the folder that a filter moves the message to,
 * under the mailbox lock. Costs one query if the mailbox has no filters, and none if `matchedBefore` is given. Throws
 * HeavyFilters.
 */
export async function filterArrival(
  tx: WriteTransaction,
  owner: MailboxOwner,
  texts: MessageTexts,
  matchedBefore?: readonly RunningFilter[],
): Promise<FilteredArrival> {
  const result = matchedBefore ? combinedResult(matchedBefore) : await evaluateWithinTurn(tx, owner, texts);
  const { matching, discarded, folder: path, flags, labels } = result;
  const isMoved = path !== undefined && !discarded;
  const folder = isMoved ? await ensureFolder(tx, owner, path) : undefined;
  return { discarded, folder, flags, labels: labelsThatFit(labels), applied: matching.map(appliedFilter) };
}

/** Throws HeavyFilters. */
async function evaluateWithinTurn(
  tx: WriteTransaction,
  owner: MailboxOwner,
  texts: MessageTexts,
): Promise<FilterResult> {
  const filters = await listEnabledFilters(tx, owner);
  const rules = filters.map(({ rule }) => rule);
  if (!fitsIntoTurn(texts.size, rules)) throw new HeavyFilters();
  return evaluate(filters.map(preparedFilter), texts);
}

function preparedFilter({ id, name, rule: text }: EnabledFilter): PreparedFilter {
  const { rule, matches } = preparedRule(text);
  return { filter: { id, name, rule }, matches };
}

/** The texts of a message that filters see. Made once for all recipients, so that the message is case-folded once. */
export function textsOf(message: ParsedMessage, bytes: number): MessageTexts {
  return new MessageTexts(filteredMessage(message, bytes));
}

function appliedFilter({ id, name, rule }: RunningFilter): AppliedFilter {
  return { filter_id: id, name, actions: rule.actions };
}
