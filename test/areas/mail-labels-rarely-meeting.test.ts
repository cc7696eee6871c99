import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MOST_LABELS } from '../../src/areas/mail/changes/flags.ts';
import { insertLabels } from '../../src/areas/mail/changes/label-store.ts';
import { findFolder, insertFolder } from '../../src/areas/mail/folders/folder-store.ts';
import { pageOfMessages } from '../../src/areas/mail/listing/listing.ts';
import type { MailboxOwner } from '../../src/areas/mail/owner.ts';
import { type CursorPosition, JsonText, type Page } from '../../src/contract/answers.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { insertMessages } from './insert-messages.ts';

const OWNER: MailboxOwner = { workspaceId: 'wsp_1', userId: 'usr_1' };
const MESSAGES = 6_000;
const AT_ONCE = 500;
const LIMIT = 20;
/** Messages that carry both of the common labels. */
const MEETINGS = new Set([0, 1, 2_000, MESSAGES - 1]);
/** Messages that carry the rare label as well. */
const RARE = new Set([0, 1_500, MESSAGES - 1]);

function labelsOf(i: number): string[] {
  const labels = MEETINGS.has(i) ? ['even', 'odd'] : [i % 2 === 0 ? 'even' : 'odd'];
  return RARE.has(i) ? [...labels, 'rare'] : labels;
}

async function fill(tx: WriteTransaction): Promise<void> {
  await insertFolder(tx, OWNER, { id: 'a', name: 'a', parentId: '', role: null, createdAt: 0 });
  const folder = await findFolder(tx, OWNER, 'a');
  const messages = Array.from({ length: MESSAGES }, (_, i) => ({
    workspace_id: OWNER.workspaceId,
    user_id: OWNER.userId,
    id: `msg_${i}`,
    folder_number: folder?.number ?? 0,
    thread_id: null,
    // Several have one date: their numbers alone tell their order.
    date: Math.floor(i / 7),
    flags: 0,
    labels: JSON.stringify(labelsOf(i)),
    summary: `"id":"msg_${i}","date":"${new Date(Math.floor(i / 7)).toISOString()}"`,
  }));
  for (let i = 0; i < MESSAGES; i += AT_ONCE)
    await insertLabels(tx, OWNER, await insertMessages(tx, messages.slice(i, i + AT_ONCE)));
  await tx
    .insertInto('mail_folder_counts')
    .values({ workspace_id: 'wsp_1', user_id: 'usr_1', folder_id: 'a', flags: 0, messages: MESSAGES })
    .execute();
}

function idsOf({ items }: Page): string[] {
  assert.ok(items instanceof JsonText);
  return (JSON.parse(items.text) as { id: string }[]).map(({ id }) => id);
}

forEachEngine((engine) => {
  describe('a listing by labels that are common but rarely meet', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
    });
    after(() => app.stop());

    const page = (labels: string[], folderIds: string[], after: CursorPosition | undefined, limit = LIMIT) =>
      app.services.database.read((tx) =>
        pageOfMessages(tx, OWNER, { labels, folderIds, flags: 0, unread: false }, { limit, after }),
      );

    /** Every page, to the one after which nothing follows. */
    const pages = async (labels: string[], folderIds: string[], limit = LIMIT): Promise<Page[]> => {
      const found = [await page(labels, folderIds, undefined, limit)];
      for (let last = found[0]; last?.isCut || last?.count === limit; last = found.at(-1)) {
        assert.ok(last.last, 'a page that others follow has a place');
        found.push(await page(labels, folderIds, last.last, limit));
      }
      return found;
    };

    for (const [where, folderIds] of [
      ['the whole mailbox', []],
      ['a folder', ['a']],
    ] as [string, string[]][]) {
      test(`ends pages of ${where} early, and shows every message once, newest first (API-136, MAIL-36)`, async () => {
        const expected = [...MEETINGS].sort((a, b) => b - a).map((i) => `msg_${i}`);
        const all = await pages(['even', 'odd'], folderIds);
        assert.deepEqual(all.flatMap(idsOf), expected);
        assert.equal(all[0]?.isCut, true);
        assert.ok(all.length > 1 && all.length <= 3, `${all.length} pages`);
        assert.deepEqual((await pages(['odd', 'even'], folderIds, 1)).flatMap(idsOf), expected);
      });

      test(`reads the rare label of several in ${where}: all is on the first page`, async () => {
        const found = await page(['even', 'odd', 'rare'], folderIds, undefined);
        assert.deepEqual(idsOf(found), [`msg_${MESSAGES - 1}`, 'msg_0']);
        assert.equal(found.isCut, false);
      });
    }

    test('is empty at once for more labels than a message can carry', async () => {
      const many = Array.from({ length: MOST_LABELS + 1 }, (_, i) => `label ${i}`);
      assert.deepEqual(idsOf(await page(many, [], undefined)), []);
    });
  });
});
