import { AtriumError } from '../../../client/src/index.ts';
import { outbox, TakenBack } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { showToast } from '../app/toasts.tsx';
import type { MailCache } from './mail-cache.ts';
import { type Change, changed, inverse, type MailRecord } from './records.ts';

/** Most messages of one call. */
const BATCH = 1000;
/** Writes of the mailbox are done in the order in which they were made. */
const LANE = 'mail';

export interface Doing {
  /** What is done, in words: "Archived 3 messages". It also names the write while it waits. */
  done: string;
  /** What is said where the server refuses. */
  failed: string;
  /** Without a toast: what a person has not asked for, such as marking as read. */
  isQuiet?: boolean;
}

/** Changes messages at once for the eye, and by the outbox; ten seconds long it can be undone. */
export function changeMessages(
  cache: MailCache,
  messages: readonly MailRecord[],
  change: Change,
  doing: Doing,
): void {
  const affected = messages.filter((message) => inverse(message, changed(message, change)));
  if (affected.length === 0) return;
  const writes = chunks(affected).map((part) => send(cache, part, change, doing));
  if (doing.isQuiet) return;
  showToast({
    text: doing.done,
    undo: () => {
      for (const write of writes.reverse()) void undo(cache, write, doing);
    },
  });
}

interface Written {
  before: readonly MailRecord[];
  after: readonly MailRecord[];
  id: Promise<number>;
}

function send(cache: MailCache, before: readonly MailRecord[], change: Change, doing: Doing): Written {
  const shown = cache.show(before, change);
  const body = { message_ids: before.map(({ id }) => id), ...change };
  const added = outbox.add({ call: (api) => api.mail.changeMessages(body), label: doing.done, lane: LANE });
  void follow(added, shown, doing);
  return {
    before,
    after: before.map((record) => changed(record, change)),
    id: added.then(({ id }) => id),
  };
}

/** Takes back what was not sent yet; else writes the opposite. */
async function undo(cache: MailCache, { before, after, id }: Written, doing: Doing): Promise<void> {
  if (await outbox.takeBack(await id)) return;
  const groups = new Map<string, { change: Change; records: MailRecord[] }>();
  for (const [index, record] of after.entries()) {
    const change = inverse(before[index] ?? record, record);
    if (!change) continue;
    const key = JSON.stringify(change);
    const group = groups.get(key) ?? { change, records: [] };
    group.records.push(record);
    groups.set(key, group);
  }
  for (const { change, records } of groups.values())
    send(cache, records, change, { ...doing, isQuiet: true });
}

/** Deletes messages of one folder for ever: they are marked, and the folder is expunged. */
export function deleteForEver(
  cache: MailCache,
  messages: readonly MailRecord[],
  folderId: string,
  doing: Doing,
): void {
  for (const part of chunks(messages)) {
    const shown = cache.show(part, 'gone');
    const body = { message_ids: part.map(({ id }) => id), add_flags: ['deleted' as const] };
    const marked = outbox.add({
      call: (api) => api.mail.changeMessages(body),
      label: doing.done,
      lane: LANE,
    });
    const expunged = outbox.add({
      call: (api) => api.mail.expungeMailFolder(folderId),
      label: doing.done,
      lane: LANE,
    });
    void follow(
      Promise.all([marked, expunged]).then(([first, second]) => ({
        done: Promise.all([first.done, second.done]),
      })),
      shown,
      doing,
    );
  }
  showToast({
    text: doing.done,
    undo: () => {
      for (const { id } of messages)
        void outbox.add({ call: (api) => api.mail.restoreMessage(id), label: doing.done, lane: LANE });
    },
  });
}

async function follow(
  added: Promise<{ done: Promise<unknown> }>,
  shown: { settle(): void; revert(): void },
  doing: Doing,
): Promise<void> {
  try {
    await (await added).done;
    shown.settle();
  } catch (error) {
    shown.revert();
    if (error instanceof TakenBack) return;
    const reason = error instanceof AtriumError ? reasonOf(error) : '';
    showToast({ text: `${doing.failed} ${reason}`, kind: 'problem' });
  }
}

function chunks(messages: readonly MailRecord[]): (readonly MailRecord[])[] {
  const parts: (readonly MailRecord[])[] = [];
  for (let begin = 0; begin < messages.length; begin += BATCH)
    parts.push(messages.slice(begin, begin + BATCH));
  return parts;
}
