import { useQueryClient } from '@tanstack/react-query';
import { AtriumError, type MailFolder } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import { outbox, type Sent, type Write } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { useTexts } from '../app/texts.ts';
import { showToast } from '../app/toasts.tsx';
import { FOLDERS } from './folders.ts';
import { mailTexts } from './texts.ts';
import { useMailCache } from './use-mail-cache.ts';

/** Makes, changes and empties folders; a toast tells what came of it. */
export function useFolderWrites() {
  const texts = useTexts(mailTexts);
  const queries = useQueryClient();
  const cache = useMailCache();
  const settle = useSettling();
  const update = (folder: MailFolder, fields: { name?: string; parent_id?: string }, isUndo = false) => {
    queries.setQueryData(FOLDERS, (known: MailFolder[] | undefined) =>
      known?.map((one) => (one.id === folder.id ? { ...one, ...fields } : one)),
    );
    const before = fields.name === undefined ? { parent_id: folder.parent_id } : { name: folder.name };
    const label = texts.folderChanged(fields.name ?? folder.name);
    const sent = send(label, (recording) => recording.mail.updateMailFolder(folder.id, fields));
    void settle(sent, label, isUndo ? undefined : () => update({ ...folder, ...fields }, before, true));
  };
  return {
    create: (name: string, parent_id: string) => {
      const label = texts.folderCreated(name);
      const call = { name, ...(parent_id && { parent_id }) };
      void settle(
        send(label, (recording) => recording.mail.createMailFolder(call)),
        label,
      );
    },
    update,
    /** Marks all of a folder as deleted, and expunges it. */
    empty: async (folder: MailFolder, label: string) => {
      const shown = cache.show(cache.known(new Set(await markAllDeleted(folder, label))), 'gone');
      const sent = send(label, (recording) => recording.mail.expungeMailFolder(folder.id));
      sent.then(({ done }) => done).then(shown.settle, shown.revert);
      await settle(sent, label);
    },
  };
}

/** Waits for what was sent, tells what came of it, and reads the folders again. */
function useSettling() {
  const texts = useTexts(mailTexts);
  const queries = useQueryClient();
  return async (sent: Promise<{ done: Promise<unknown> }>, done: string, undo?: () => void) => {
    try {
      await (await sent).done;
      showToast({ text: done, ...(undo && { undo }) });
    } catch (error) {
      const reason = error instanceof AtriumError ? reasonOf(error) : '';
      showToast({ text: `${texts.failed} ${reason}`, kind: 'problem' });
    } finally {
      void queries.invalidateQueries({ queryKey: FOLDERS });
    }
  };
}

/** Writes of the mailbox are done in the order in which they were made. */
function send(label: string, call: Write['call']): Promise<Sent> {
  return outbox.add({ call, label, lane: 'mail' });
}

/** Messages of one call. */
const BATCH = 1000;

/** Marks all messages of a folder as deleted, a batch at a time; their ids. */
async function markAllDeleted(folder: MailFolder, label: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of api.mail.listMessages({ folder_id: folder.id, limit: 200 })) ids.push(id);
  for (let begin = 0; begin < ids.length; begin += BATCH) {
    const message_ids = ids.slice(begin, begin + BATCH);
    await send(label, (recording) => recording.mail.changeMessages({ message_ids, add_flags: ['deleted'] }));
  }
  return ids;
}
