import type { Page } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import type { TestApp } from '../harness.ts';
import { makeFile, makeFolder } from './files-world.ts';
import { append, appendRaw } from './mail-world.ts';

/** A page, dialog or menu of the console, reached by its address and by keys: in every language the same way. */
export interface Place {
  name: string;
  path: string;
  /** What must be there before keys are pressed. Default: something on the page that can be focused. */
  ready?: string;
  /** Keys after each other that lead on. */
  keys?: readonly string[];
  /** What must be there in the end: a dialog, a menu, a list. */
  shown?: string;
}

const DIALOG = '[role=dialog],[role=alertdialog]';
const ROW = 'main [role=row]';
const PATIENCE_MS = 20_000;
const SETTLED_MS = 150;
/** Keys are pressed again after a while, so often. */
const AGAIN_MS = 3000;
const MOST_TRIES = 3;

const LETTER = [
  'From: "Xenia Qvist" <xenia@example.org>',
  'To: owner@localhost, Bo <bo@example.org>',
  'Subject: Zyxwv',
  'Message-Id: <zyxwv@example.org>',
  'Date: Tue, 24 Nov 2026 10:00:00 +0000',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<p>Qwx <a href="https://zyx.example/">zyx</a></p><img src="https://zyx.example/x.png">',
  '--b',
  'Content-Type: text/plain',
  'Content-Disposition: attachment; filename="zyx.txt"',
  '',
  'zyx',
  '--b--',
  '',
].join('\r\n');

/** Words of no language, so that a text of the page can be told from what people wrote. Answers the places that show them. */
export async function fillEveryPlace(app: TestApp): Promise<readonly Place[]> {
  const letter = await appendRaw(app, Buffer.from(LETTER), { query: 'label=Qvz' });
  await append(app, {
    subject: 'Qzz',
    from: 'Vq <vq@example.org>',
    body: 'Zxq.\r\n',
    query: 'flag=starred&flag=read',
  });
  await append(app, { subject: 'Qxx', folder: 'archive', body: 'Zxq.\r\n', query: 'flag=starred&flag=read' });
  await append(app, { subject: 'Qyy', folder: 'sent', body: 'Zxq.\r\n', query: 'flag=read' });
  const filter = data(
    await app.post('/v1/mail/filters', {
      name: 'Zyxfil',
      priority: 1,
      rule: {
        conditions: [{ field: 'from', op: 'contains', value: 'xenia' }],
        actions: [{ type: 'mark_read' }],
      },
    }),
    201,
  );
  const [book] = data(await app.get('/v1/address-books'));
  const contact = data(
    await app.post('/v1/contacts', {
      address_book_id: book.id,
      name: 'Xenia Qvist',
      emails: [{ address: 'xenia@example.org' }],
    }),
    201,
  );
  const folder = await makeFolder(app, 'Zyxdir');
  const file = await makeFile(app, 'zyx.txt', 'zyx', folder.id);
  const binary = await makeFile(app, 'zyx.bin', new Uint8Array([1, 2, 3, 0, 255]), folder.id);
  const sheet = data(await app.post('/v1/documents', { type: 'spreadsheet', title: 'Zyxtab' }), 201);
  return [
    ...mailPlaces(letter),
    ...filterPlaces(filter.id),
    ...contactPlaces(contact.id),
    ...filePlaces({ folder, file, binary, sheet }),
  ];
}

function mailPlaces(letter: string): Place[] {
  const open = { path: `/mail/inbox/${letter}`, ready: '[data-letter=shown]' };
  return [
    { name: 'inbox', path: '/mail/inbox', ready: ROW },
    { name: 'letter', ...open },
    { name: 'palette', path: '/mail/inbox', ready: ROW, keys: ['Control+k'], shown: DIALOG },
    { name: 'keys', path: '/mail/inbox', ready: ROW, keys: ['?'], shown: DIALOG },
    { name: 'selection', path: '/mail/inbox', ready: ROW, keys: ['j', 'x'] },
    { name: 'move message', ...open, keys: ['v'], shown: DIALOG },
    { name: 'label message', ...open, keys: ['l'], shown: DIALOG },
    { name: 'done', path: '/mail/inbox', ready: ROW, keys: ['j', 's'] },
    { name: 'empty folder', path: '/mail/junk', ready: 'main h2' },
    { name: 'empty trash', path: '/mail/trash', ready: 'main h2' },
    { name: 'starred', path: '/mail/starred', ready: ROW },
    { name: 'label', path: '/mail/label?name=Qvz', ready: ROW },
    { name: 'search', path: '/mail/search?q=zyxwv', ready: ROW },
    { name: 'nothing found', path: '/mail/search?q=nnnnqqq', ready: 'main h2' },
    { name: 'search begins', path: '/mail/search', ready: 'main h2' },
    { name: 'gone message', path: '/mail/message/msg_00000000000000000000000000', ready: '[role=alert]' },
    { name: 'compose', path: '/mail/compose/new', ready: 'main textarea,main [contenteditable]' },
    { name: 'reply', ...open, keys: ['r'], shown: 'main textarea,main [contenteditable]' },
  ];
}

function filterPlaces(filter: string): Place[] {
  return [
    { name: 'filters', path: '/mail/filters/', ready: 'main li,main [role=row]' },
    { name: 'new filter', path: '/mail/filters/new', ready: 'main input' },
    { name: 'filter', path: `/mail/filters/${filter}`, ready: 'main input' },
  ];
}

function contactPlaces(contact: string): Place[] {
  return [
    { name: 'contacts', path: '/contacts/', ready: ROW },
    { name: 'contact', path: `/contacts/contact/${contact}`, ready: 'main h1,main h2' },
    { name: 'edit contact', path: `/contacts/contact/${contact}/edit`, ready: 'main form input' },
    { name: 'new contact', path: '/contacts/new', ready: 'main form input' },
    { name: 'trash of contacts', path: '/contacts/?trash=true', ready: 'main h2' },
  ];
}

function filePlaces(ids: Record<'folder' | 'file' | 'binary' | 'sheet', { id: string }>): Place[] {
  const { folder, file, binary, sheet } = ids;
  const list = { path: `/files/folder/${folder.id}`, ready: ROW };
  return [
    { name: 'files', path: '/files/', ready: ROW },
    { name: 'folder', ...list },
    { name: 'new folder', ...list, keys: ['n'], shown: DIALOG },
    { name: 'rename', ...list, keys: ['j', 'F2'], shown: 'main [role=row] input:not([type=checkbox])' },
    { name: 'move file', ...list, keys: ['j', 'm'], shown: DIALOG },
    { name: 'share', ...list, keys: ['j', 's'], shown: DIALOG },
    { name: 'shared', path: '/files/shared', ready: 'main h2' },
    { name: 'trash of files', path: '/files/trash', ready: 'main h2' },
    { name: 'search of files', path: '/files/search?q=zyx', ready: ROW },
    { name: 'text file', path: `/files/file/${file.id}`, ready: 'main pre' },
    { name: 'no preview', path: `/files/file/${binary.id}`, ready: 'main h2' },
    { name: 'sheet', path: `/files/file/${sheet.id}`, ready: 'main h1,main h2' },
  ];
}

/** Goes to a place by its address, and by its keys. */
export async function goTo(
  page: Page,
  address: string,
  { path, ready = 'main h1', keys = [], shown }: Place,
): Promise<void> {
  await page.goto(`${address}${path}`);
  await page.locator(ready).filter({ visible: true }).first().waitFor({ timeout: PATIENCE_MS });
  const isShown = () =>
    page
      .locator(shown ?? ready)
      .filter({ visible: true })
      .first();
  for (let tries = 1; ; tries++) {
    for (const key of keys) await page.keyboard.press(key);
    // A key acts on what the page knows: a message that is shown may come a moment before its folder does.
    const timeout = tries < MOST_TRIES ? AGAIN_MS : PATIENCE_MS;
    const found = await isShown()
      .waitFor({ timeout })
      .then(() => true)
      .catch((error) => (tries < MOST_TRIES ? false : Promise.reject(error)));
    if (found) break;
  }
  // What follows the place: counts, people, what may be done. The network is never idle: changes are followed.
  await page.waitForTimeout(SETTLED_MS);
}
