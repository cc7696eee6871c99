import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { MailFilter } from '../../../../client/src/index.ts';
import { api } from '../../app/api.ts';
import { useChanges } from '../../app/live-changes.ts';
import { outbox, TakenBack, useOutbox } from '../../app/outbox.ts';
import { showToast, UNDO_MS } from '../../app/toasts.tsx';
import { prioritiesFor } from './rule.ts';
import type { FilterTexts } from './texts.ts';

const KEY = ['filters'];
const PATH = '/v1/mail/filters/';
/** Changes of filters are sent in order. */
export const LANE = 'filters';

/** The filters in the order in which they run, without those that are being deleted. */
export function useFilters() {
  const queries = useQueryClient();
  const entries = useOutbox();
  const query = useQuery({ queryKey: KEY, queryFn: () => api.mail.listMailFilters({ limit: 100 }).all() });
  // What the server answers between two writes is older than what is shown: it is read when all are done.
  const isWriting = entries.some(({ lane, problem }) => lane === LANE && !problem);
  const refresh = () => void queries.invalidateQueries({ queryKey: KEY });
  useChanges(['filter.'], () => !isWriting && refresh());
  const wasWriting = useRef(false);
  useEffect(() => {
    if (wasWriting.current && !isWriting) void queries.invalidateQueries({ queryKey: KEY });
    wasWriting.current = isWriting;
  }, [isWriting, queries]);
  const going = entries
    .filter(({ call, problem }) => call.method === 'DELETE' && call.path.startsWith(PATH) && !problem)
    .map(({ call }) => call.path.slice(PATH.length));
  return { ...query, filters: query.data?.filter(({ id }) => !going.includes(id)) };
}

/** What can be done to filters of the list. */
export function useFilterWrites(texts: FilterTexts) {
  const queries = useQueryClient();
  const refresh = () => void queries.invalidateQueries({ queryKey: KEY });
  const show = (change: (filters: readonly MailFilter[]) => MailFilter[]) => {
    void queries.cancelQueries({ queryKey: KEY });
    queries.setQueryData<MailFilter[]>(KEY, (filters) => filters && change(filters));
  };

  const update = async (id: string, body: { enabled?: boolean; priority?: number }, label: string) => {
    show((filters) => filters.map((filter) => (filter.id === id ? { ...filter, ...body } : filter)));
    const { done } = await outbox.add({
      call: (to) => to.mail.updateMailFilter(id, body),
      label,
      lane: LANE,
    });
    done.catch(refresh);
  };
  const move = async (filters: readonly MailFilter[], id: string, by: -1 | 1) => {
    const from = filters.findIndex((filter) => filter.id === id);
    const filter = filters[from];
    const target = from + by;
    if (!filter || target < 0 || target >= filters.length) return;
    const order = filters.filter((one) => one !== filter);
    order.splice(target, 0, filter);
    const priorities = prioritiesFor(order, id);
    show(() => order.map((one) => ({ ...one, priority: priorities.get(one.id) ?? one.priority })));
    const label = by < 0 ? texts.up(filter.name) : texts.down(filter.name);
    for (const [changed, priority] of priorities) await update(changed, { priority }, label);
  };
  const toggle = ({ id, enabled }: MailFilter) => update(id, { enabled: !enabled }, texts.switch);
  /** It runs until it is deleted, which can be taken back for ten seconds. */
  const remove = async ({ id, name }: MailFilter) => {
    const { id: write, done } = await outbox.add({
      call: (to) => to.mail.deleteMailFilter(id),
      label: texts.removeFilter,
      lane: `${LANE}-${id}`,
      heldFor: UNDO_MS,
    });
    const undo = async () => {
      if (!(await outbox.takeBack(write))) showToast({ text: texts.tooLate, kind: 'problem' });
    };
    showToast({ text: texts.removed(name), undo: () => void undo() });
    done.then(
      () => show((filters) => filters.filter((filter) => filter.id !== id)),
      (error: unknown) => error instanceof TakenBack || refresh(),
    );
  };
  return { move, toggle, remove };
}
