/** What people do with mail all day, each flow by the keyboard alone, by touch on a telephone, and by the mouse. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { data, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { startBrowser } from './browser.ts';
import { titlesIn } from './files-world.ts';
import { type Hand, inWindow, WAYS, type Way } from './hands.ts';
import { append, appendRaw, folderId, messageOf, rowOf } from './mail-world.ts';

const WITH_NOTES = (subject: string) =>
  [
    'From: Ann <ann@example.org>',
    'To: owner@localhost',
    `Subject: ${subject}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the notes.',
    '--b',
    'Content-Type: text/plain',
    `Content-Disposition: attachment; filename="${subject}.txt"`,
    '',
    'what the notes say',
    '--b--',
    '',
  ].join('\r\n');

describe('every flow of mail in every way', () => {
  let app: TestApp;
  let browser: Browser;
  let hostKey: string;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
    await makeUser(app, { name: 'Berta Brahms', email: 'berta@localhost' });
    const host = await makeUser(app, { name: 'Host', email: 'host@localhost' });
    const permissions = ['calendar.events.write', 'calendar.events.read', 'mail.messages.read'];
    const made = await app.post('/v1/api-keys', { name: 'host', user_id: host.id, permissions });
    hostKey = data(made, 201).key;
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const inbox = async (way: Way, flow: (hand: Hand, page: Page) => Promise<void>) =>
    inWindow(way, browser, app, { path: '/mail/inbox' }, flow);
  const sent = async (subject: string) => {
    const messages = data(await app.get('/v1/messages?folder_id=sent&limit=200'));
    return messages.filter((message: { subject: string }) => message.subject === subject).length;
  };

  for (const way of WAYS) {
    describe(`by ${way}`, () => {
      const name = way.replace('the ', '');
      before(() => append(app, { subject: `Other ${name}`, from: 'Bob <bob@example.org>' }));

      it('a message is read, answered and filed', async () => {
        const id = await append(app, { subject: `Question ${name}`, from: 'Berta <berta@localhost>' });
        await inbox(way, async (hand, page) => {
          await hand.open(rowOf(page, `Question ${name}`));
          await page.getByRole('heading', { level: 1, name: `Question ${name}` }).waitFor();
          await eventually(async () => (await messageOf(app, id)).flags.read, 'it is read');
          await hand.press(page.getByRole('button', { name: 'Reply', exact: true }));
          await hand.write(page.getByRole('textbox', { name: 'Message' }), `Answered by ${name}. `);
          await hand.press(page.getByRole('button', { name: 'Send', exact: true }));
          await page.getByRole('heading', { level: 1, name: `Question ${name}` }).waitFor();
          await hand.press(page.getByRole('button', { name: 'Move to a folder' }));
          await hand.write(page.getByRole('combobox', { name: 'Move to' }), 'archive');
          await hand.choose(page.getByRole('option', { name: 'Archive' }));
          const archive = await folderId(app, 'archive');
          await eventually(async () => (await messageOf(app, id)).folder_id === archive, 'it is filed');
          await eventually(async () => (await sent(`Re: Question ${name}`)) === 1, 'the answer is sent');
        });
        const answered = data(await app.get('/v1/messages?folder_id=sent&limit=200'));
        const [answer] = answered.filter(
          (one: { subject: string }) => one.subject === `Re: Question ${name}`,
        );
        assert.match((await messageOf(app, answer.id)).text, new RegExp(`Answered by ${name}`));
        assert.equal((await messageOf(app, id)).flags.answered, true);
      });

      it('a message is found, and a filter is made like it with its matches shown', async () => {
        await append(app, { subject: `Zebra ${name}`, from: `Zoo <zoo-${name}@example.org>` });
        await eventually(
          async () => data(await app.get(`/v1/search?q=Zebra+${name}`)).length === 1,
          'the index has it',
        );
        await inbox(way, async (hand, page) => {
          await hand.write(page.getByRole('searchbox', { name: 'Search mail' }), `zebra ${name}`);
          await hand.enter();
          await hand.open(rowOf(page, `Zebra ${name}`));
          await page.getByRole('heading', { level: 1, name: `Zebra ${name}` }).waitFor();
          await hand.press(page.getByRole('toolbar').getByRole('button', { name: 'More', exact: true }));
          await hand.choose(page.getByRole('menuitem', { name: 'Filter messages like this' }));
          await page.getByText(/^1 of the newest \d+ match$/).waitFor();
          await page.getByLabel('Matches in your mail').getByText(`Zebra ${name}`).waitFor();
          await hand.write(page.getByRole('combobox', { name: 'Folder' }), `Zoo ${name}`);
          await hand.press(page.getByRole('button', { name: 'Save', exact: true }));
          await page.getByText('Filter saved').waitFor();
        });
        const filters = data(await app.get('/v1/mail/filters?limit=100'));
        const made = filters.filter(({ rule }: { rule: { actions: { folder?: string }[] } }) =>
          rule.actions.some(({ folder }) => folder === `Zoo ${name}`),
        );
        assert.equal(made.length, 1);
      });

      it('an attachment is kept in Files', async () => {
        await appendRaw(app, Buffer.from(WITH_NOTES(`Notes ${name}`)), { query: 'flag=read' });
        await inbox(way, async (hand, page) => {
          await hand.open(rowOf(page, `Notes ${name}`));
          await hand.press(page.getByRole('button', { name: `Keep in Files: Notes ${name}.txt` }));
          await hand.choose(page.getByRole('option', { name: 'Files (top)' }));
          await page.getByText(`Kept Notes ${name}.txt in Files`).waitFor();
        });
        const titles = await titlesIn(app, '');
        assert.equal(titles.filter((title) => title === `Notes ${name}.txt`).length, 1);
      });

      it('an invitation is answered', async () => {
        const day = `2027-03-0${WAYS.indexOf(way) + 1}`;
        const [calendar] = data(await app.get('/v1/calendars', { key: hostKey }));
        const event = {
          starts_at: `${day}T09:00:00Z`,
          ends_at: `${day}T10:00:00Z`,
          attendees: ['owner@localhost'],
          notify: 'all',
        };
        data(await app.post(`/v1/calendars/${calendar.id}/events`, event, { key: hostKey }), 201);
        await inbox(way, async (hand, page) => {
          await hand.open(rowOf(page, 'Host').first());
          await hand.press(
            page.getByRole('region', { name: 'Invitation' }).getByRole('button', { name: 'Maybe' }),
          );
          await page.getByText('Answered with maybe').waitFor();
        });
        const range = `start=${day}T00:00:00Z&end=${day}T23:00:00Z`;
        const responses = async () => {
          const invitations: { response: string }[] = data(await app.get(`/v1/invitations?${range}`));
          return invitations.map(({ response }) => response).join();
        };
        // The page tells of what it has kept; it is sent beside that.
        await eventually(async () => (await responses()) === 'tentative', 'the invitation is answered');
      });
    });
  }
});
