import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { BlobsUnavailable } from '../src/blobs/blob-store.ts';
import { verify } from '../src/start/verification.ts';
import { data } from './areas/accounts.ts';
import { ANY_ENGINE, forEachEngine } from './engines.ts';
import { startApp, type TestApp } from './harness.ts';
import { type S3, startS3 } from './s3.ts';

const nothing = () => ({ rows: 0, blobs: 0, bytes: 0 });

async function uploadTwo(app: TestApp): Promise<string[]> {
  const headers = { 'content-type': 'application/octet-stream' };
  for (const name of ['one', 'two'])
    data(await app.request('POST', `/v1/files?filename=${name}`, { body: name, headers }), 201);
  const rows = await app.services.database.read((tx) => tx.selectFrom('files').select('blob_key').execute());
  return rows.map(({ blob_key }) => String(blob_key));
}

it('a blob that the disk does not give is told beside what else is amiss', async (t) => {
  const app = await startApp('sqlite');
  t.after(() => app.stop());
  const [unreadable = '', gone = ''] = await uploadTwo(app);
  const [path = ''] = globSync(`blobs/*/${unreadable}`, { cwd: app.config.dataDir });
  await rm(join(app.config.dataDir, path));
  // The system opens a directory, and fails to read it: as with a broken sector.
  await mkdir(join(app.config.dataDir, path));
  await app.services.blobs.remove(gone);
  const problems = (await verify(app.services, nothing())).toSorted();
  const told = {
    [gone]: 'is missing',
    [unreadable]: 'cannot be read: EISDIR: illegal operation on a directory, read',
  };
  assert.equal(problems.length, 2);
  for (const [key, problem] of Object.entries(told))
    assert.ok(
      problems.some((said) => said.startsWith(`The blob ${key} ${problem}; it is that of file file_`)),
      problems.join('\n'),
    );
});

it('a store that serves nothing is no problem of each blob', async (t) => {
  const s3: S3 = await startS3();
  Object.assign(process.env, s3.env);
  const app = await startApp(ANY_ENGINE, { ATRIUM_BLOBS: s3.blobs });
  t.after(async () => {
    await app.stop();
    await s3.stop();
  });
  const [unreadable = ''] = await uploadTwo(app);
  s3.fault = (request) => (request.includes(unreadable) ? 'slow down' : undefined);
  const [problem, ...others] = await verify(app.services, nothing());
  assert.match(problem ?? '', new RegExp(`^The blob ${unreadable} cannot be read: .`));
  assert.deepEqual(others, []);
  s3.fault = () => 'slow down';
  await assert.rejects(verify(app.services, nothing()), BlobsUnavailable);
  s3.fault = undefined;
});

forEachEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startApp(engine);
  });
  after(() => app.stop());

  for (const [path, table, rule] of [
    ['/v1/file-folders', 'nodes', 'Each folder leads up to the root'],
    ['/v1/folders', 'mail_folders', 'Each mail folder leads up to the root'],
  ] as const)
    it(`verify tells of rows of ${table} that are in each other, and moves into them end`, async () => {
      const make = async (name: string, parent_id = '') =>
        data(await app.post(path, { name, parent_id }), 201).id as string;
      const outer = await make('outer');
      const inner = await make('inner', outer);
      const other = await make('other');
      await app.services.database.write(async (tx) => {
        await tx.updateTable(table).set({ parent_id: inner }).where('id', '=', outer).execute();
      });
      const problems = await verify(app.services, nothing());
      assert.ok(
        problems.some((said) => said.startsWith(rule)),
        problems.join('\n'),
      );
      const moved = await app.put(`${path}/${other}`, { parent_id: inner });
      assert.ok(moved.status < 500);
      if (table === 'nodes') assert.equal((await app.delete(`${path}/${outer}`)).status, 204);
      await app.services.database.write(async (tx) => {
        await tx.updateTable(table).set({ parent_id: '' }).where('id', '=', outer).execute();
      });
    });
});
