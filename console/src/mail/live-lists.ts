import type { Change as FedChange } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import type { MailCache } from './mail-cache.ts';
import { folderOf, type ListedPlace } from './places.ts';

/** Messages that are this near to each other in a list are read by one request. */
const NEAR = 150;
/** Of the newest messages of a list so many are read when mail has come. */
const NEWEST = 50;
/** Of messages that are not among the newest so many are read one by one; beyond that the list begins anew. */
const MOST_SINGLE = 20;

/** Shows in the lists of a mailbox what the change feed tells. */
export function refreshFrom(cache: MailCache, changes: readonly FedChange[]): void {
  const own = changes.filter(({ type }) => type.startsWith('message.') || type.startsWith('folder.'));
  if (own.length === 0) return;
  cache.countAgain();
  const messages = own.filter(({ type }) => type.startsWith('message.'));
  if (messages.length === 0) return;
  for (const change of messages) {
    const ids = new Set(idsOf(change));
    if (change.type === 'message.expunged') cache.remove(ids);
    if (change.type === 'message.moved') cache.moved(ids, String(change.ids.folder_id));
    if (change.ids.draft_id !== undefined) for (const id of ids) cache.messageAgain(id);
  }
  cache.threadsAgain();
  for (const place of cache.places())
    void refreshList(cache, place, messages).catch(() => cache.listAgain(place));
}

async function refreshList(
  cache: MailCache,
  place: ListedPlace,
  changes: readonly FedChange[],
): Promise<void> {
  const position = new Map(cache.listOf(place).map(({ id }, index) => [id, index]));
  const changed = changes.filter(({ type }) => type === 'message.changed').flatMap(idsOf);
  const known = changed.filter((id) => position.has(id));
  await refreshKnown(
    cache,
    place,
    known.map((id) => position.get(id) ?? 0).sort((a, b) => a - b),
  );
  const come = changes.filter((change) => mayHaveCome(cache, place, change)).flatMap(idsOf);
  await refreshNew(cache, place, new Set(come.filter((id) => !position.has(id))));
}

async function refreshKnown(cache: MailCache, place: ListedPlace, indexes: readonly number[]): Promise<void> {
  const records = cache.listOf(place);
  let begin = 0;
  for (const [at, index] of indexes.entries()) {
    const next = indexes[at + 1];
    if (next !== undefined && next - (indexes[begin] ?? 0) <= NEAR) continue;
    const newest = records[indexes[begin] ?? 0];
    const oldest = records[index];
    if (newest && oldest) await cache.refreshBetween(place, newest.date, oldest.date);
    begin = at + 1;
  }
}

async function refreshNew(cache: MailCache, place: ListedPlace, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return;
  const records = cache.listOf(place);
  if (records.length === 0) return cache.listAgain(place);
  const oldest = records[Math.min(records.length, NEWEST) - 1];
  // Far ahead: the clock of this machine may be behind.
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString();
  if (oldest) await cache.refreshBetween(place, tomorrow, oldest.date);
  const shown = new Set(cache.listOf(place).map(({ id }) => id));
  const missing = [...ids].filter((id) => !shown.has(id));
  if (missing.length > MOST_SINGLE) return cache.listAgain(place);
  const found = await Promise.allSettled(missing.map((id) => api.mail.getMessage(id)));
  cache.absorb(found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
}

/** Whether a change brings messages into the list of a place. */
function mayHaveCome(cache: MailCache, place: ListedPlace, { type, ids }: FedChange): boolean {
  if (place.kind !== 'folder') return type !== 'message.expunged' && type !== 'message.moved';
  if (type === 'message.changed' || type === 'message.expunged') return false;
  return folderOf(place.key, cache.folders())?.id === ids.folder_id;
}

function idsOf({ ids }: FedChange): string[] {
  return Array.isArray(ids.message_ids) ? ids.message_ids.map(String) : [];
}
