/** That a cluster of Citus serves a workspace from one of its servers, where a cluster is given. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { Atrium } from '../../client/src/index.ts';
import { populate } from '../../demo/populate.ts';
import { data } from '../areas/accounts.ts';
import { CITUS_URL, type CitusDatabase, makeCitusDatabase } from '../citus.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { requirePushedInsertions } from '../pushed-insertions.ts';
import { everythingOf } from '../upgrade/answers.ts';
import { unnamedWorkspaces } from './workspace-values.ts';

const AMOUNTS = { messages: 40, contacts: 12 };
const DAY_MS = 86_400_000;

/**
 * Has the cluster say what it asks of several servers; a plan without values, which it tries in between, is none. As INFO,
 * which every client gets: notices do not reach the product.
 */
function tellingOfFanOut(url: string): string {
  const telling = new URL(url);
  telling.searchParams.set(
    'options',
    '-c citus.multi_task_query_log_level=info -c plan_cache_mode=force_custom_plan',
  );
  return telling.href;
}

/** The statements of this process that a cluster says it asks of several servers. */
function heardOfFanOut(): Set<string> {
  const heard = new Set<string>();
  const { connect } = pg.Client.prototype;
  pg.Client.prototype.connect = function (this: pg.Client, ...given: []) {
    this.on('notice', ({ message }) => {
      const { _activeQuery } = this as unknown as {
        _activeQuery?: { text?: string; cursor?: { text?: string } };
      };
      if (message?.includes('multi-task query')) heard.add(_activeQuery?.text ?? `? ${message}`);
    });
    return (connect as (...given: []) => unknown).apply(this, given);
  } as typeof connect;
  return heard;
}

describe('a cluster of Citus', {
  skip: CITUS_URL === undefined && 'ATRIUM_TEST_CITUS_URL names no cluster',
}, () => {
  let spread: CitusDatabase;
  let app: TestApp;
  const heard = heardOfFanOut();
  before(async () => {
    spread = await makeCitusDatabase(CITUS_URL ?? '');
    app = await startApp('postgres', { ATRIUM_DATABASE_URL: tellingOfFanOut(spread.url) });
  });
  after(async () => {
    await app.stop();
    await spread.remove();
  });

  it('does what a workspace asks of every area on the server of the workspace alone (OPS-68, OPS-70)', async () => {
    await populate(app.address, OWNER_KEY, AMOUNTS);
    const today = Date.parse(new Date().toISOString().slice(0, 10));
    const window = { start: new Date(today).toISOString(), end: new Date(today + 60 * DAY_MS).toISOString() };
    const everything = await everythingOf(new Atrium({ address: app.address, key: OWNER_KEY }), window);
    assert.ok(everything.mail.messages.length >= AMOUNTS.messages);
    assert.equal(everything.contacts.contacts.length, AMOUNTS.contacts);
    assert.ok(everything.documents.documents.length > 0);
    const unexpected = [...heard].filter((sql) => unnamedWorkspaces(sql).length === 0);
    assert.deepEqual(unexpected, []);
    assert.ok(heard.size > 0, 'the cluster says nothing of what it asks of several servers');
  });

  it('inserts what comes from other rows and from lists on the server of the workspace (OPS-70)', async () => {
    const [{ id: inbox }] = data(await app.get('/v1/folders'));
    const messages = data(await app.get(`/v1/messages?folder_id=${inbox}&limit=3`));
    const message_ids = messages.map(({ id }: { id: string }) => id);
    const changes = [
      { op: 'add', labels: ['one', 'two'] },
      { op: 'add', flags: ['read'] },
      { op: 'remove', flags: ['read'], labels: ['one'] },
      { op: 'set', flags: ['deleted'], labels: ['three'] },
    ];
    for (const change of changes)
      data(await app.post(`/v1/folders/${inbox}/messages/flags`, { message_ids, ...change }));
    data(await app.post(`/v1/folders/${inbox}/expunge`));
    data(await app.post(`/v1/messages/${message_ids[0]}/restore`));
    await requirePushedInsertions(app.config.databaseUrl);
  });
});
