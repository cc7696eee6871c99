import type { QueryClient } from '@tanstack/react-query';
import type { LabelCount, MailFolder, Message } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import { FOLDERS, foldersQuery } from './folders.ts';
import { counted, LABELS } from './labels.ts';
import { belongs, includedIn, type ListedPlace, queryOf } from './places.ts';
import {
  byNewest,
  type Change,
  changed,
  completed,
  type FoundRow,
  type MailRecord,
  recordOf,
  type Summary,
} from './records.ts';

/** What is loaded of a list. */
export interface MailList {
  records: readonly MailRecord[];
  /** "" where all is loaded. */
  nextCursor: string;
}

const FIRST_PAGE = 100;
const PAGE = 200;
const LISTS = ['mail', 'list'] as const;

export const threadKey = (id: string) => ['mail', 'thread', id] as const;
export const messageKey = (id: string) => ['mail', 'message', id] as const;
export const listKey = (place: ListedPlace) => [...LISTS, place] as const;

/** A change that was shown before the server has done it. */
interface Pending {
  ids: ReadonlySet<string>;
  /** "gone": deleted for ever. */
  change: Change | 'gone';
}

/**
 * What the page knows of the mailbox. All lists, conversations and counts show a change at once; what the server answers
 * meanwhile is shown with the changes that it has not done yet.
 */
export class MailCache {
  readonly #queries: QueryClient;
  readonly #pending = new Map<number, Pending>();
  readonly #loading = new Set<string>();
  #lastId = 0;
  #counting: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  folders(): readonly MailFolder[] {
    return this.#queries.getQueryData<MailFolder[]>(FOLDERS) ?? [];
  }

  /** Summaries of the server, small, with what is pending. */
  records(summaries: readonly Summary[]): MailRecord[] {
    return summaries.flatMap((summary) => this.#withPending(recordOf(summary)) ?? []);
  }

  async firstPage(place: ListedPlace, signal: AbortSignal): Promise<MailList> {
    // What belongs to a folder that is named by its role is known by its id.
    await this.#queries.ensureQueryData(foldersQuery);
    return this.#page(place, { limit: FIRST_PAGE }, signal);
  }

  /** Loads the next page of a list, once at a time. Rejects where the server cannot be reached. */
  async loadMore(place: ListedPlace): Promise<void> {
    const key = JSON.stringify(place);
    const cursor = this.#list(place)?.nextCursor;
    if (!cursor || this.#loading.has(key)) return;
    this.#loading.add(key);
    try {
      const { records, nextCursor } = await this.#page(place, { limit: PAGE, cursor });
      this.#setList(place, (list) => ({ ...merged(list, records), nextCursor }));
    } finally {
      this.#loading.delete(key);
    }
  }

  async #page(place: ListedPlace, page: { limit: number; cursor?: string }, signal?: AbortSignal) {
    const query = { ...queryOf(place), ...includedIn(place, this.folders()), ...page };
    const { items, nextCursor, hasMore } = await api.mail
      .listMessages(query, signal ? { signal } : {})
      .first();
    const records = this.records(items).filter((record) => belongs(record, place, this.folders()));
    return { records, nextCursor: hasMore ? nextCursor : '' };
  }

  /** All lists that are loaded. */
  places(): ListedPlace[] {
    return this.#queries
      .getQueryCache()
      .findAll({ queryKey: LISTS })
      .filter(({ state }) => state.data !== undefined)
      .map(({ queryKey }) => queryKey[LISTS.length] as ListedPlace);
  }

  listOf(place: ListedPlace): readonly MailRecord[] {
    return this.#list(place)?.records ?? [];
  }

  /** Reads again what a list holds between two times, both included. */
  async refreshBetween(place: ListedPlace, newest: string, oldest: string): Promise<void> {
    const before = new Date(Date.parse(newest) + 1).toISOString();
    const include = includedIn(place, this.folders());
    const range = { ...queryOf(place), ...include, before, after: oldest, limit: PAGE };
    const found = this.records(await api.mail.listMessages(range).all());
    const known = found.filter((record) => belongs(record, place, this.folders()));
    this.#setList(place, (list) => {
      const outside = list.records.filter(({ date }) => date < oldest || date >= before);
      return merged({ ...list, records: outside }, known);
    });
  }

  /** Puts messages where they belong, as the server has them. */
  absorb(summaries: readonly Summary[]): void {
    this.#place(this.records(summaries));
  }

  /** Removes messages from everywhere. */
  remove(ids: ReadonlySet<string>): void {
    for (const place of this.places())
      this.#setList(place, (list) => ({ ...list, records: list.records.filter(({ id }) => !ids.has(id)) }));
    for (const [key, records] of this.#threads())
      this.#queries.setQueryData(
        key,
        records.filter(({ id }) => !ids.has(id)),
      );
  }

  /** Every message of these that is loaded anywhere. */
  known(ids: ReadonlySet<string>): MailRecord[] {
    const found = new Map<string, MailRecord>();
    const add = (records: readonly MailRecord[]) => {
      for (const record of records)
        if (ids.has(record.id) && !found.has(record.id)) found.set(record.id, record);
    };
    for (const place of this.places()) if (found.size < ids.size) add(this.listOf(place));
    for (const [, records] of this.#threads()) add(records);
    for (const [, rows] of this.#searches()) add(rows.flatMap(({ record }) => record ?? []));
    return [...found.values()];
  }

  /** Shows a change before it is done. Returns what ends that: `settle` when it is done, `revert` when it was refused. */
  show(before: readonly MailRecord[], change: Change | 'gone'): { settle(): void; revert(): void } {
    const id = ++this.#lastId;
    const ids = new Set(before.map((record) => record.id));
    this.#pending.set(id, { ids, change });
    if (change === 'gone') this.remove(ids);
    else this.#place(before.map((record) => changed(record, change)));
    this.#countShown(before, change);
    const end = () => {
      this.#pending.delete(id);
      this.countAgain();
    };
    return {
      settle: end,
      revert: () => {
        end();
        this.#place(before.flatMap((record) => this.#withPending(record) ?? []));
      },
    };
  }

  /** What the server has moved. */
  moved(ids: ReadonlySet<string>, folderId: string): void {
    const now = this.known(ids).map((record) => this.#withPending({ ...record, folder_id: folderId }));
    this.#place(now.flatMap((record) => record ?? []));
  }

  /** Reads the counts of folders and labels again when nothing is pending. */
  countAgain(): void {
    clearTimeout(this.#counting);
    this.#counting = setTimeout(() => {
      if (this.#pending.size > 0) return;
      for (const queryKey of [FOLDERS, LABELS]) void this.#queries.invalidateQueries({ queryKey });
    }, 150);
  }

  /** Conversations that are shown are read again. */
  threadsAgain(): void {
    void this.#queries.invalidateQueries({ queryKey: ['mail', 'thread'] });
  }

  messageAgain(id: string): void {
    void this.#queries.invalidateQueries({ queryKey: messageKey(id) });
  }

  /** A list is read from its beginning. */
  listAgain(place: ListedPlace): void {
    void this.#queries.invalidateQueries({ queryKey: listKey(place) });
  }

  prefetchMessage(id: string): void {
    void this.#queries.prefetchQuery(messageQuery(id));
  }

  /** Writes records into each list, conversation and search in which they belong. */
  #place(records: readonly MailRecord[]): void {
    if (records.length === 0) return;
    const now = new Map(records.map((record) => [record.id, record]));
    const folders = this.folders();
    for (const place of this.places())
      this.#setList(place, (list) => {
        const others = list.records.filter(({ id }) => !now.has(id));
        const oldest = others.at(-1);
        const before = new Map(list.records.map((record) => [record.id, record]));
        const own = records.flatMap((record) =>
          belongs(record, place, folders) ? completed(record, before.get(record.id)) : [],
        );
        const loaded = own.filter(
          (record) => list.nextCursor === '' || (oldest && byNewest(record, oldest) < 0),
        );
        return merged({ ...list, records: others }, loaded);
      });
    for (const [key, thread] of this.#threads())
      if (thread.some(({ id }) => now.has(id)))
        this.#queries.setQueryData(
          key,
          thread.map((record) => completed(now.get(record.id) ?? record, record)),
        );
    for (const [key, rows] of this.#searches())
      this.#queries.setQueryData(key, (data: { rows: FoundRow[] } | undefined) => ({
        ...data,
        rows: rows.map((row) => {
          const record = now.get(row.id);
          return record ? { ...row, record } : row;
        }),
      }));
  }

  #withPending(record: MailRecord): MailRecord | undefined {
    let shown = record;
    for (const { ids, change } of this.#pending.values()) {
      if (!ids.has(record.id)) continue;
      if (change === 'gone') return undefined;
      shown = changed(shown, change);
    }
    return shown;
  }

  #countShown(before: readonly MailRecord[], change: Change | 'gone'): void {
    const folders: Deltas = new Map();
    const labels: Deltas = new Map();
    const count = (record: MailRecord, step: number) => {
      add(folders, record.folder_id, record, step);
      for (const label of record.labels) add(labels, label, record, step);
    };
    for (const record of before) {
      count(record, -1);
      if (change !== 'gone') count(changed(record, change), 1);
    }
    this.#queries.setQueryData(LABELS, (known: LabelCount[] | undefined) => known && counted(known, labels));
    this.#queries.setQueryData(FOLDERS, (known: MailFolder[] | undefined) =>
      known?.map((folder) => {
        const delta = folders.get(folder.id);
        if (!delta) return folder;
        const message_count = Math.max(0, folder.message_count + delta.messages);
        return { ...folder, message_count, unread_count: Math.max(0, folder.unread_count + delta.unread) };
      }),
    );
  }

  #list(place: ListedPlace): MailList | undefined {
    return this.#queries.getQueryData<MailList>(listKey(place));
  }

  #setList(place: ListedPlace, change: (list: MailList) => MailList): void {
    this.#queries.setQueryData<MailList>(listKey(place), (list) => list && change(list));
  }

  #threads(): [readonly unknown[], readonly MailRecord[]][] {
    return this.#queries
      .getQueriesData<readonly MailRecord[]>({ queryKey: ['mail', 'thread'] })
      .flatMap(([key, records]) => (records ? [[key, records] as [readonly unknown[], typeof records]] : []));
  }

  #searches(): [readonly unknown[], readonly FoundRow[]][] {
    return this.#queries
      .getQueriesData<{ rows: readonly FoundRow[] }>({ queryKey: ['mail', 'search'] })
      .flatMap(([key, data]) => (data ? [[key, data.rows] as [readonly unknown[], typeof data.rows]] : []));
  }
}

export const messageQuery = (id: string) => ({
  queryKey: messageKey(id),
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Message> => api.mail.getMessage(id, { signal }),
  // Bodies are large: they are kept for a while only.
  gcTime: 300_000,
  structuralSharing: false,
});

type Deltas = Map<string, { messages: number; unread: number }>;

function add(deltas: Deltas, key: string, { flags }: MailRecord, step: number): void {
  const { messages, unread } = deltas.get(key) ?? { messages: 0, unread: 0 };
  deltas.set(key, { messages: messages + step, unread: unread + (flags.read ? 0 : step) });
}

/** The records of a list and others, each once, in order. */
function merged(list: MailList, added: readonly MailRecord[]): MailList {
  if (added.length === 0) return list;
  const ids = new Set(added.map(({ id }) => id));
  const others = list.records.filter(({ id }) => !ids.has(id));
  return { ...list, records: [...others, ...added].sort(byNewest) };
}
