import { useQuery } from '@tanstack/react-query';
import type { LabelCount } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';

export const LABELS = ['mail', 'labels'] as const;

/** The most that the API answers at once. */
const AT_ONCE = 100;
/** More than these are not offered; what carries one is found by "label:". */
const MOST = 500;
const NONE: readonly LabelCount[] = [];

export const labelsQuery = {
  queryKey: LABELS,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<LabelCount[]> => {
    const labels: LabelCount[] = [];
    for await (const label of api.mail.listLabels({ limit: AT_ONCE }, { signal }))
      if (labels.push(label) === MOST) break;
    return labels.sort(byName);
  },
};

/** The labels that messages of the mailbox carry, by name; none while they are not known. */
export function useLabels(): readonly LabelCount[] {
  return useQuery(labelsQuery).data ?? NONE;
}

/** What the counts become when messages get labels, lose them or are read, before the server has done it. */
export function counted(
  labels: readonly LabelCount[],
  deltas: ReadonlyMap<string, { messages: number; unread: number }>,
): LabelCount[] {
  const all = new Map(labels.map((one) => [one.label, one]));
  for (const [label, { messages, unread }] of deltas) {
    const before = all.get(label);
    const message_count = Math.max(0, (before?.message_count ?? 0) + messages);
    const unread_count = Math.max(0, (before?.unread_count ?? 0) + unread);
    if (message_count === 0) all.delete(label);
    else all.set(label, { label, message_count, unread_count });
  }
  return [...all.values()].sort(byName);
}

function byName(a: LabelCount, b: LabelCount): number {
  return a.label.localeCompare(b.label, undefined, { numeric: true });
}
