import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { data } from './areas/accounts.ts';
import { type Receiver, startReceiver } from './areas/webhook-receiver.ts';
import { runAtrium } from './command-line.ts';
import { ANY_ENGINE } from './engines.ts';
import { eventually } from './eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';

let app: TestApp;
let receiver: Receiver;
before(async () => {
  app = await startApp(ANY_ENGINE, { ATRIUM_WEBHOOK_ALLOW: '127.0.0.1' });
  receiver = await startReceiver();
});
after(async () => {
  await receiver.stop();
  await app.stop();
});

const run = (...args: string[]) =>
  runAtrium(app, ['webhook', ...args], { ATRIUM_URL: app.address, ATRIUM_KEY: OWNER_KEY });

test('atrium webhook lists webhooks, tests one, lists its attempts and redelivers what is dead (CHANGE-75)', async () => {
  const body = { url: receiver.url, types: ['message.changed', 'file.*'] };
  const { id } = data(await app.post('/v1/webhooks', body), 201);
  const listed = await run('list');
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(
    listed.stdout,
    new RegExp(`^${id} +active +0 s +message\\.changed,file\\.\\* +${receiver.url}$`, 'm'),
  );
  const [json] = JSON.parse((await run('list', '--json')).stdout);
  assert.equal(json.id, id);

  const tested = await run('test', id);
  assert.deepEqual([tested.code, tested.stderr], [0, '']);
  assert.match(tested.stdout, /^Accepted\. It took \d+ ms\.\n$/);
  receiver.reply = () => 500;
  const failed = await run('test', id);
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /^The endpoint has answered 500\. It took \d+ ms\.\n$/);
  receiver.reply = () => 204;

  const attempts = await run('attempts', id);
  assert.deepEqual(
    attempts.stdout.split('\n').map((line) => /webhook\.test +(\d+)/.exec(line)?.[1]),
    [undefined, '500', '204', undefined],
  );

  assert.deepEqual((await run('redeliver', id)).stdout, '', 'nothing is dead');
  const change = { id: 'chg_x', type: 'file.created', at: new Date().toISOString(), actor: null, ids: {} };
  await app.services.database.write(async (tx) => {
    const { workspace_id } = await tx
      .selectFrom('webhooks')
      .select('workspace_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const refused = { at: Date.now(), status: 400, error: 'The endpoint has answered 400.', redelivering: 0 };
    await tx
      .insertInto('webhook_dead_deliveries')
      .values({ workspace_id, webhook_id: id, id: 'whd_x', change: JSON.stringify(change), ...refused })
      .execute();
  });
  assert.equal((await run('redeliver', id)).stdout, 'file.created chg_x is delivered once more (whd_x).\n');
  await eventually(async () => data(await app.get(`/v1/webhooks/${id}/dead`)).length === 0, 'it is accepted');
  assert.equal(receiver.received.at(-1)?.headers['webhook-id'], 'chg_x');
  const unknown = await run('redeliver', id, 'whd_none');
  assert.equal(unknown.code, 1);
});
