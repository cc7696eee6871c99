import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findFeedHolder } from '../../src/storage/changes.ts';
import { runAtrium } from '../command-line.ts';
import { startApp, type TestApp } from '../harness.ts';
import { settled } from './changes-feed.ts';

describe('the change feed beside an open transaction of PostgreSQL', () => {
  let app: TestApp;
  let other: pg.Client;
  let folder: string;

  before(async () => {
    app = await startApp('postgres');
    other = new pg.Client({ connectionString: app.config.databaseUrl, application_name: 'report' });
    await other.connect();
    folder = (await app.get('/v1/folders')).json.data[0].id;
  });
  after(async () => {
    await other.end();
    await app.stop();
  });

  const star = async () => {
    const body = 'From: Ada <ada@example.org>\r\nSubject: Hello\r\n\r\nFirst light.\r\n';
    const headers = { 'content-type': 'message/rfc822' };
    const { id } = (await app.post(`/v1/folders/${folder}/messages`, body, { headers })).json.data;
    await app.post(`/v1/folders/${folder}/messages/flags`, {
      message_ids: [id],
      op: 'add',
      flags: ['starred'],
    });
    return id as string;
  };
  const read = async (cursor: string) =>
    (await app.get(`/v1/changes?cursor=${cursor}&types=message.changed`)).json.data;

  test('what is written beside it is read when it has ended, nothing left out and nothing twice (CHANGE-6, CHANGE-13, CHANGE-80)', async () => {
    const { cursor } = (await app.get('/v1/changes')).json.data;
    await other.query('begin');
    await other.query('select pg_current_xact_id()');
    const ids = [await star(), await star()];
    const meanwhile = await read(cursor);
    assert.deepEqual(meanwhile.changes, []);
    const { text } = await app.get('/metrics');
    assert.match(text, /^atrium_changes_lag_seconds 0?\.?\d/m);
    const holder = await app.services.database.read(findFeedHolder);
    assert.match(holder?.name ?? '', /^report, process \d+$/);
    await sleep(1_100);
    const { findings } = JSON.parse((await runAtrium(app, ['doctor', '--json'])).stdout);
    const finding = findings.find(({ check }: { check: string }) => check === 'change feed');
    assert.equal(finding.state, 'warn');
    assert.match(finding.message, new RegExp(`^A transaction of ${holder?.name} has been open for \\d+ s, `));
    const [, seconds] = /^atrium_changes_lag_seconds (\S+)$/m.exec((await app.get('/metrics')).text) ?? [];
    assert.ok(Number(seconds) > 1, String(seconds));
    await other.query('commit');
    await settled(app);
    const { changes, cursor: end } = await read(meanwhile.cursor);
    assert.deepEqual(
      changes.map((change: { ids: { message_ids: string[] } }) => change.ids.message_ids[0]),
      ids,
    );
    assert.deepEqual((await read(end)).changes, []);
  });

  test('a cursor that is taken beside it is behind everything that was written before (CHANGE-5, CHANGE-6)', async () => {
    await other.query('begin');
    await other.query('select pg_current_xact_id()');
    await star();
    const { cursor } = (await app.get('/v1/changes')).json.data;
    const later = [await star(), await star()];
    await other.query('commit');
    await settled(app);
    const seen: string[] = [];
    let at = cursor;
    for (let more = true; more; ) {
      const page = (await app.get(`/v1/changes?cursor=${at}&limit=1&types=message.changed`)).json.data;
      for (const change of page.changes) seen.push(change.ids.message_ids[0]);
      ({ cursor: at, more } = page);
    }
    assert.deepEqual(seen, later);
  });
});
