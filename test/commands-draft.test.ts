import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { data } from './areas/accounts.ts';
import { append, folderOf, rfc822 } from './areas/mail-world.ts';
import { runAtrium } from './command-line.ts';
import { ANY_ENGINE } from './engines.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';

let app: TestApp;
let directory: string;
before(async () => {
  app = await startApp(ANY_ENGINE);
  directory = await mkdtemp(join(tmpdir(), 'atrium-draft-'));
});
after(async () => {
  await app.stop();
  await rm(directory, { recursive: true });
});

const run = (...args: string[]) =>
  runAtrium(app, ['draft', ...args], { ATRIUM_URL: app.address, ATRIUM_KEY: OWNER_KEY });
const saved = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run('save', ...args);
  assert.deepEqual([code, stderr], [0, '']);
  return /^The draft is kept as (drf_\S+)\.\n$/.exec(stdout)?.[1] ?? assert.fail(stdout);
};

test('atrium draft keeps a draft, lists, shows and changes it, and sends it once (MAIL-109)', async () => {
  assert.equal((await run('list')).stdout, 'There are no drafts.\n');
  const id = await saved('--to', 'owner@localhost', '--subject', 'Plan', '--text', 'Draft of a plan');
  // A message with the flag that was not kept as a draft.
  await append(app, await folderOf(app, 'drafts'), rfc822({ subject: 'imported' }), { query: '?flag=draft' });
  assert.match((await run('list')).stdout, new RegExp(`^ID +TO +SUBJECT\n${id} +owner@localhost +Plan\n$`));
  const [listed] = JSON.parse((await run('list', '--json', '--limit', '1')).stdout);
  assert.equal(listed.id, id);
  const path = join(directory, 'text');
  await writeFile(path, 'A better plan\n');
  assert.equal(
    await saved('--id', id, '--text-file', path, '--cc', 'copy@localhost', '--cc', 'b@localhost'),
    id,
  );
  const { content } = data(await app.get(`/v1/drafts/${id}`));
  assert.deepEqual(content, {
    to: ['owner@localhost'],
    cc: ['copy@localhost', 'b@localhost'],
    subject: 'Plan',
    text: 'A better plan\n',
  });
  assert.equal(
    (await run('show', id)).stdout,
    'To: owner@localhost\nCc: copy@localhost, b@localhost\nSubject: Plan\n\nA better plan\n',
  );
  const refused = await run('send', id);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /copy@localhost/);
  data(await app.put(`/v1/drafts/${id}`, { to: ['owner@localhost'], subject: 'Plan' }));
  const sent = await run('send', id);
  assert.deepEqual([sent.code, sent.stderr], [0, '']);
  assert.match(sent.stdout, /^Sent "Plan" as msg_\S+\.\n$/);
  assert.equal((await run('send', id)).code, 1);
  assert.equal((await run('list')).stdout, 'There are no drafts.\n');
});

test('atrium draft deletes a draft, and says what it needs (MAIL-109)', async () => {
  const id = await saved('--subject', 'Gone');
  const unaddressed = await run('send', id, '--json');
  assert.equal(unaddressed.code, 1);
  assert.equal(JSON.parse(unaddressed.stderr).error.code, 'no_recipients');
  assert.equal((await run('delete', id)).stdout, `Deleted ${id}.\n`);
  assert.equal((await app.get(`/v1/drafts/${id}`)).status, 404);
  for (const args of [
    ['show', id],
    ['delete', id],
    ['save', '--id', id],
    ['save', '--reply-to', 'msg_none'],
  ])
    assert.equal((await run(...args)).code, 1, args.join(' '));
  for (const args of [['list', '--limit', '0'], ['list', '--limit', 'x'], ['send'], ['save', '--unknown']])
    assert.equal((await run(...args)).code, 2, args.join(' '));
  assert.equal((await run('save', '--text-file', join(directory, 'missing'))).code, 1);
});
