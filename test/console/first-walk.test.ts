/** The first minutes of somebody who has just started Atrium, in a row: from the address that the start prints. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { ANY_ENGINE, freshDatabase, type TestDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { PROGRAM, programEnvironment, startEnvironment } from '../program.ts';
import { openWindow, startBrowser } from './browser.ts';
import { rowOf as fileRow } from './files-world.ts';
import { chooseFolder } from './interrupting.ts';
import { listOf, rowOf } from './mail-world.ts';

describe('the first walk', () => {
  let storage: TestDatabase;
  let browser: Browser;
  let server: ChildProcess;
  let output = '';
  let directory: string;
  before(async () => {
    [storage, browser, directory] = await Promise.all([
      freshDatabase(ANY_ENGINE),
      startBrowser(),
      mkdtemp(join(tmpdir(), 'atrium-walk-')),
    ]);
    const { dataDir, databaseUrl } = storage;
    server = spawn(process.execPath, [PROGRAM, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...programEnvironment(),
        ...startEnvironment(),
        ATRIUM_DATA_DIR: dataDir,
        ...(databaseUrl && { ATRIUM_DATABASE_URL: databaseUrl }),
        ATRIUM_PORT: '0',
        ATRIUM_SMTP_PORT: '0',
      },
    });
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  });
  after(async () => {
    await browser.close();
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
    await storage.remove();
    await rm(directory, { recursive: true });
  });

  it('the printed address leads to mail; one reads, answers, files, searches, filters, uploads and shares', async () => {
    const printed = () => /http:\/\/localhost:\d+\/#sign-in=[\w-]+/.exec(output)?.[0];
    await eventually(() => printed() !== undefined, 'the start prints the address');
    const { page, problems } = await openWindow(browser);
    await page.goto(printed() ?? '');
    await listOf(page);

    // Reading, and answering oneself: there is nobody else yet.
    await rowOf(page, 'Welcome to Atrium').click();
    await page.getByRole('heading', { level: 1, name: 'Welcome to Atrium' }).waitFor();
    await page.getByText('This workspace is yours').first().waitFor();
    await page.keyboard.press('c');
    await page.getByRole('combobox', { name: 'To', exact: true }).pressSequentially('owner@localhost,');
    await page.getByRole('textbox', { name: 'Subject' }).fill('A note to me');
    await page.getByRole('textbox', { name: 'Message' }).fill('Water the kettle.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Sending in ten seconds').first().waitFor();
    await page.goto(`${new URL(page.url()).origin}/mail/inbox`);
    await rowOf(page, 'A note to me').getByText('Water the kettle.').waitFor({ timeout: 60_000 });
    await rowOf(page, 'A note to me').click();
    await page.getByRole('heading', { level: 1, name: 'A note to me' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially('Done. ');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'A note to me' }).waitFor();

    // Filing and searching.
    await page.keyboard.press('e');
    await rowOf(page, 'A note to me').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('kettle');
    await page.keyboard.press('Enter');
    await rowOf(page, 'A note to me').first().waitFor();

    // A filter, with what it would find.
    await page.getByRole('link', { name: 'Make a filter from this search' }).click();
    await page.getByLabel('Matches in your mail').getByText('A note to me').first().waitFor();

    // A folder is uploaded and shared; who can see it is told.
    const base = join(directory, 'Kitchen');
    await mkdir(base);
    await writeFile(join(base, 'tea.txt'), 'green');
    await page.goto(`${new URL(page.url()).origin}/files/`);
    await fileRow(page, 'Welcome.txt').waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await chooseFolder(page, base, () => page.getByRole('menuitem', { name: 'Upload a folder' }).click());
    await page.getByText('1 file uploaded').waitFor();
    await fileRow(page, 'Kitchen').click();
    await page.getByRole('heading', { name: 'Kitchen' }).waitFor();
    await page.getByRole('button', { name: 'Share this folder' }).click();
    await page.getByText('Who can see this: 1 person').waitFor();
    await page
      .getByText('Owner · they own it')
      .or(page.getByText(/^Owner · /))
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    assert.deepEqual(problems, []);
  });
});
