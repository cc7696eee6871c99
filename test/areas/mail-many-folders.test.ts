import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { flagSet } from '../../src/areas/mail/changes/flags.ts';
import { changeCounts } from '../../src/areas/mail/folders/count-store.ts';
import { findFolder, insertFolder } from '../../src/areas/mail/folders/folder-store.ts';
import type { MailboxOwner } from '../../src/areas/mail/owner.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { insertMessages } from './insert-messages.ts';
import { everyPage } from './mail-world.ts';

/** More than one statement would merge. */
const FOLDERS = 230;
const SETS = [['starred'], ['read', 'starred']] as const;
/** Few, so that pages end among messages of one date. */
const DATES = 7;

interface Made {
  id: string;
  folder_id: string;
  date: number;
}

forEachEngine((engine) => {
  describe('a mailbox of many folders', () => {
    let app: TestApp;
    let made: Made[];

    before(async () => {
      app = await startApp(engine);
      const { id: userId, workspace_id: workspaceId } = await app.services.database.read((tx) =>
        tx.selectFrom('users').select(['id', 'workspace_id']).executeTakeFirstOrThrow(),
      );
      made = await app.services.database.write((tx) => fill(tx, { workspaceId, userId }));
      // Newest first, and of one date the one that came last.
      made = made.reverse().sort((a, b) => b.date - a.date);
    });
    after(() => app.stop());

    for (const [name, query, counts] of [
      ['everything', 'unread=false', () => true],
      ['the flag starred', 'flag=starred', () => true],
      ['unread', 'unread=true', (_: Made, i: number) => i % SETS.length === 0],
    ] as const) {
      test(`a listing of ${name} has every message once, in order, with its folder`, async () => {
        const listed = await everyPage(app, `/v1/messages?${query}`, 45);
        const expected = made.filter((message) => counts(message, Number(message.id.slice(-6))));
        assert.deepEqual(
          listed.map(({ id, folder_id }) => ({ id, folder_id })),
          expected.map(({ id, folder_id }) => ({ id, folder_id })),
        );
      });
    }
  });
});

async function fill(tx: WriteTransaction, owner: MailboxOwner): Promise<Made[]> {
  const made: Made[] = [];
  for (let i = 0; i < FOLDERS; i++) made.push(...(await fillFolder(tx, owner, i)));
  return made;
}

async function fillFolder(tx: WriteTransaction, owner: MailboxOwner, i: number): Promise<Made[]> {
  const folder_id = `fld_${i}`;
  await insertFolder(tx, owner, { id: folder_id, name: folder_id, parentId: '', role: null, createdAt: 0 });
  const folder_number = (await findFolder(tx, owner, folder_id))?.number ?? 0;
  const rows = SETS.map((set, j) => {
    const id = `msg_${String(i * SETS.length + j).padStart(6, '0')}`;
    const date = Date.UTC(2026, 0, 1 + ((i * 5 + j) % DATES));
    const summary = JSON.stringify({
      id,
      subject: '',
      from: '',
      date: new Date(date),
      sent_at: new Date(date),
      size: 0,
      has_attachments: false,
      message_id: '',
    });
    return {
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      id,
      folder_number,
      thread_id: null,
      date,
      flags: flagSet(set),
      labels: '[]',
      summary: summary.slice(1, -1),
    };
  });
  await insertMessages(tx, rows);
  await changeCounts(
    tx,
    owner,
    rows.map(({ flags }) => ({ folderId: folder_id, flags, messages: 1 })),
  );
  return rows.map(({ id, date }) => ({ id, folder_id, date }));
}
