import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Atrium } from '../client/src/index.ts';

const RUN = join(import.meta.dirname, '../demo/run.ts');

describe('the demo', () => {
  it('has something in every corner, and goes without a trace', async () => {
    const { ATRIUM_PORT: _port, ATRIUM_SMTP_PORT: _smtp, ...env } = process.env;
    const demo = spawn(process.execPath, [RUN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(demo, 'exit');
    try {
      const said = await invitation(demo.stdout);
      const [, address = '', dataDir = ''] = /ready on (\S+) .* in (\S+)\.\n/.exec(said) ?? [];
      const [, key = ''] = /KEY=(\S+)/.exec(said) ?? [];
      await look(new Atrium({ address, key }));
      assert.ok(existsSync(dataDir));
      demo.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
      assert.ok(!existsSync(dataDir));
    } finally {
      demo.kill('SIGKILL');
    }
  });
});

async function look(atrium: Atrium): Promise<void> {
  const folders = await atrium.mail.listMailFolders();
  const messages = folders.reduce((sum, folder) => sum + folder.message_count, 0);
  assert.ok(messages >= 400, `only ${messages} messages`);
  assert.ok((await atrium.mail.listMessages({ label: 'money' }).first()).items.length > 5);
  assert.equal((await atrium.mail.listMailFilters().all()).length, 2);
  const invoices = folders.find(({ name }) => name === 'Invoices');
  assert.ok((invoices?.message_count ?? 0) > 0);
  assert.equal((await atrium.directory.listUsers().all()).length, 6);
  assert.equal((await atrium.directory.listGroups().all()).length, 2);
  assert.equal((await atrium.directory.listResources().all()).length, 2);
  assert.equal((await atrium.contacts.listContacts().all()).length, 60);
  const files = await atrium.files.listFiles().all();
  assert.equal(new Set(files.map(({ mime_type: type }) => type)).size, 5);
  const documents = await atrium.documents.listDocuments().all();
  const book = documents.find(({ type }) => type === 'spreadsheet');
  const { values } = await atrium.spreadsheets.readRange(book?.id ?? '', 'Summary!A1:B2');
  assert.deepEqual(values[0], ['Best month', 'June']);
  assert.equal((await atrium.calendar.listCalendars()).length, 2);
}

/** Everything up to how it ends. */
async function invitation(output: AsyncIterable<Buffer>): Promise<string> {
  let said = '';
  for await (const chunk of output) {
    said += chunk;
    if (said.includes('Ctrl-C ends it')) return said;
  }
  throw new Error(`The demo has ended: ${said}`);
}
