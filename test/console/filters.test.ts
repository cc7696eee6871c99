import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser, type Window } from './browser.ts';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Etxt.exe "quoted"';

describe('filters', () => {
  let app: TestApp;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let fromList: string;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    const append = async (headers: string) => {
      const { json } = await app.post('/v1/folders/inbox/messages', `${headers}\r\n\r\nHello.\r\n`, {
        headers: { 'content-type': 'message/rfc822' },
      });
      return json.data.id as string;
    };
    for (let n = 0; n < 3; n++) await append(`From: Ada <ada@example.org>\r\nSubject: Report ${n}`);
    fromList = await append(
      'From: List <x@list.example>\r\nList-Id: News <news.list.example>\r\nSubject: News',
    );
    window = await signedIn(browser, app, { path: '/mail/filters/' });
    page = window.page;
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const filters = async () =>
    (await app.get('/v1/mail/filters?limit=100')).json.data as {
      id: string;
      name: string;
      enabled: boolean;
      rule: unknown;
    }[];
  const names = async () => (await filters()).map(({ name }) => name);
  const make = async (name: string, priority: number, action: object = { type: 'mark_read' }) =>
    (
      await app.post('/v1/mail/filters', {
        name,
        priority,
        rule: { conditions: [{ field: 'from', op: 'contains', value: 'ada' }], actions: [action] },
      })
    ).json.data.id as string;

  it('makes a filter with the matches shown while typing, and shows hostile names as text', async () => {
    await page.getByText('No filters yet').waitFor();
    await assertAccessible(page);
    await page.getByRole('heading', { name: 'Filters', exact: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Value', { exact: true }).fill('ada@');
    await page.getByText('3 of the newest 4 match').waitFor();
    await page.getByText('Report 2').waitFor();
    await page.getByRole('combobox', { name: 'Folder' }).fill('People/Ada');
    await page.getByLabel('Name', { exact: true }).fill(HOSTILE);
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByText('Filter saved').waitFor();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    const [filter] = await filters();
    assert.equal(filter?.name, HOSTILE);
    assert.deepEqual(filter?.rule, {
      match: 'all',
      conditions: [{ field: 'from', op: 'contains', value: 'ada@' }],
      actions: [{ type: 'move', folder: 'People/Ada' }],
    });
    assert.equal((await filters()).length, 1);
    await app.delete(`/v1/mail/filters/${filter?.id}`);
    assert.deepEqual(window.problems, []);
  });

  it('orders by keys, switches off, and deletes with ten seconds to take it back', async () => {
    for (const [index, name] of ['One', 'Two', 'Three'].entries()) await make(name, index);
    await page.goto(`${app.address}/mail/filters/`);
    await page.getByText('Three').waitFor();
    await page.getByRole('grid', { name: 'Filters' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(async () => (await names()).join() === 'One,Three,Two', 'Three is above Two');
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(async () => (await names()).join() === 'Three,One,Two', 'Three is the first');
    await page.getByRole('button', { name: 'Move Three down' }).click();
    await eventually(async () => (await names()).join() === 'One,Three,Two', 'Three is the second');
    await page.getByRole('grid', { name: 'Filters' }).focus();
    await page.keyboard.press('x');
    await eventually(async () => (await filters())[1]?.enabled === false, 'Three is off');
    await assertAccessible(page);
    await page.keyboard.press('#');
    await page.getByText('“Three” deleted').waitFor();
    await eventually(async () => (await page.getByRole('row').count()) === 2, 'the row is gone');
    await page.keyboard.press('z');
    await eventually(async () => (await page.getByRole('row').count()) === 3, 'the row is back');
    assert.equal((await names()).length, 3);
    await page.getByRole('grid', { name: 'Filters' }).focus();
    await page.keyboard.press('#');
    await page.getByText('“Three” deleted').waitFor();
    await eventually(async () => (await names()).join() === 'One,Two', 'Three is deleted');
    assert.deepEqual(window.problems, []);
  });

  it('begins with a message or a search', async () => {
    await page.goto(`${app.address}/mail/filters/new?message=${fromList}`);
    const value = page.getByLabel('Value', { exact: true });
    await value.waitFor();
    assert.equal(await value.inputValue(), 'news.list.example');
    await page.getByText('1 of the newest 4 match').waitFor();
    await page.goto(`${app.address}/mail/filters/new?q=${encodeURIComponent('from:ada report in:inbox')}`);
    await page.getByText('A filter cannot tell: in:inbox').waitFor();
    await page.getByText('0 of the newest 4 match').waitFor();
    assert.deepEqual(
      await page
        .getByLabel('Value', { exact: true })
        .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)),
      ['ada', 'report'],
    );
  });

  it('is applied to what is there, with counts first', async () => {
    const id = await make('Label', 50, { type: 'add_label', label: 'seen' });
    await page.goto(`${app.address}/mail/filters/${id}`);
    await page.getByRole('button', { name: 'Apply to mail that is there' }).click();
    await page.getByText('3 of the newest 4 messages of the folder match.').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('3 messages match, 3 changed').waitFor();
    assert.equal((await app.get('/v1/messages?label=seen')).json.data.length, 3);
  });

  it('works at the width of a phone, in the dark', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${app.address}/mail/filters/`);
    await page.getByText('Label', { exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await assertAccessible(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    assert.deepEqual(window.problems, []);
  });
});
