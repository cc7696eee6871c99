import type { BatchMessage } from './batch-store.ts';
import type { FlagMasks, FlagSet } from './flags.ts';

/** A requested change of the flags and labels of messages. */
export interface FlagsAndLabelsChange {
  op: 'add' | 'remove' | 'set';
  flags: FlagSet;
  labels: readonly string[];
}

/** Labels of one message: without a limit, the size of a page would not be bounded. */
export const MOST_LABELS = 100;
/** All labels of a message together, as JSON: the answer to a batch repeats those of up to a thousand messages. */
export const MOST_LABEL_CHARACTERS = 2_500;

/** The masks by which a change alters the flags of every message. */
export function flagMasks({ op, flags }: FlagsAndLabelsChange): FlagMasks {
  if (op === 'set') return { keep: 0, add: flags };
  return op === 'add' ? { keep: ~0, add: flags } : { keep: ~flags, add: 0 };
}

/** A message after a change. */
export interface ChangedMessage extends BatchMessage {
  before: BatchMessage;
}

/** The messages after a change; equal label lists are computed once. */
export function changedMessages(
  messages: readonly BatchMessage[],
  change: FlagsAndLabelsChange,
): ChangedMessage[] {
  const known = new Map<string, string>();
  const labelsAfter = (labels: string) =>
    known.getOrInsertComputed(labels, () => changedLabels(labels, change));
  const { keep, add } = flagMasks(change);
  return messages.map((before) => ({
    number: before.number,
    id: before.id,
    flags: (before.flags & keep) | add,
    labels: labelsAfter(before.labels),
    before,
  }));
}

/** "Labels keep the order in which they were added": remaining labels keep their order, new ones follow. */
function changedLabels(json: string, { op, labels }: FlagsAndLabelsChange): string {
  if (labels.length === 0) return op === 'set' ? '[]' : json;
  const before: string[] = JSON.parse(json);
  const named = new Set(labels);
  if (op === 'add') return JSON.stringify([...new Set([...before, ...named])]);
  if (op === 'remove') return JSON.stringify(before.filter((label) => !named.has(label)));
  return JSON.stringify([...new Set([...before.filter((label) => named.has(label)), ...named])]);
}
