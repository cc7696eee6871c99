/** What a node says of a COMMIT that waits for a standby and does not get to the end of its wait. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { StorageUnavailable } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY } from '../harness.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

/** A standby that is never there. */
const NOBODY = 'nobody';
const LIMIT_MS = 1_000;

/** Connections of a node that writes may have at once. */
const MOST_WRITES = 8;

type Request = readonly [method: string, path: string, body?: object];

interface Said {
  status: number;
  text: string;
  isReplayed: boolean;
}

describe('a COMMIT that waits for a standby', { timeout: 600_000 }, () => {
  let server: PostgresServer;
  let administrator: pg.Client;
  let dataDir: string;
  let log: FileHandle;
  let node: ServedProcess;
  let spreadsheet: string;
  before(async () => {
    server = await startPostgres();
    administrator = new pg.Client(server.url);
    await administrator.connect();
    // Only what the node asks for itself makes the warning arrive.
    await administrator.query("alter database postgres set client_min_messages = 'error'");
    // Like the role of an operator: it owns its database and may do nothing else.
    await administrator.query('create role plain login; alter database postgres owner to plain');
    await administrator.query('grant all on schema public to plain');
    dataDir = await mkdtemp(join(tmpdir(), 'atrium-commit-'));
    const url = new URL(server.url);
    url.username = 'plain';
    log = await open(join(dataDir, 'log'), 'w');
    const settings = { ATRIUM_DATA_DIR: dataDir, ATRIUM_DATABASE_URL: url.href };
    node = await serveProcess(settings, { log: log.fd });
    const { text } = await send(['POST', '/v1/documents', { type: 'spreadsheet', title: 'x' }]);
    spreadsheet = JSON.parse(text).data.id;
  });
  after(async () => {
    await node?.kill();
    await log?.close();
    await administrator?.end();
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  afterEach(() => waitFor(''));

  /** Has commits wait for this standby, or for none. */
  const waitFor = async (standby: string) => {
    await administrator.query(`alter system set synchronous_standby_names = '${standby}'`);
    await administrator.query('select pg_reload_conf()');
    const setting = async () => (await administrator.query('show synchronous_standby_names')).rows[0];
    await eventually(
      async () => (await setting()).synchronous_standby_names === standby,
      'the setting is read',
    );
  };
  const send = async (
    [method, path, body]: Request,
    idempotencyKey: string = randomUUID(),
    key = OWNER_KEY,
  ): Promise<Said> => {
    const answer = await fetch(node.address + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': idempotencyKey,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const isReplayed = answer.headers.get('idempotency-replayed') === 'true';
    return { status: answer.status, text: await answer.text(), isReplayed };
  };
  /** The key of a new user who has mail. */
  const makeWriter = async (name: string): Promise<string> => {
    const made = await send(['POST', '/v1/users', { name, email: `${name}@example.org` }]);
    const permissions = ['mail.messages.read', 'mail.folders.write'];
    const given = { name, permissions, user_id: JSON.parse(made.text).data.id };
    return JSON.parse((await send(['POST', '/v1/api-keys', given])).text).data.key;
  };
  /** Ends what waits for the standby, and answers for how many. */
  const endWaits = async (how: string) => {
    const { rowCount } = await administrator.query(
      `select ${how}(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
    );
    return rowCount ?? 0;
  };
  /** Sends it again and again, each time until its wait is ended so; answers what was said. */
  const sendInterrupted = async (how: string, request: Request, key: string): Promise<Said> => {
    let said: Said | undefined;
    const sending = send(request, key).then((answer) => {
      said = answer;
    });
    await eventually(async () => {
      await endWaits(how);
      return said !== undefined;
    }, 'the wait was ended');
    await sending;
    return said ?? assert.fail();
  };

  const requests: Record<string, () => Request> = {
    'a write': () => ['POST', '/v1/groups', { name: `group ${randomUUID()}`, member_ids: [] }],
    'a write that is made with others': () => [
      'PUT',
      `/v1/spreadsheets/${spreadsheet}/values/A1`,
      { values: [[randomUUID()]] },
    ],
  };
  for (const [name, make] of Object.entries(requests)) {
    for (const how of ['pg_cancel_backend', 'pg_terminate_backend']) {
      it(`${name} and its repeats are refused as unknown where the wait was ended (${how}), until a standby has it (OPS-65, OPS-66)`, async () => {
        const request = make();
        const key = randomUUID();
        await waitFor(NOBODY);
        for (let tries = 0; tries < 3; tries++) {
          const { status, text } = await sendInterrupted(how, request, key);
          assert.equal(status, 503, text);
          assert.equal(JSON.parse(text).error.code, 'unavailable');
        }
        await waitFor('');
        const { status, isReplayed, text } = await send(request, key);
        assert.ok(status < 300, text);
        assert.ok(isReplayed, 'PostgreSQL has kept it when the wait was ended');
      });
    }
  }

  it('leaves connections to reads, of those who write too (OPS-64)', async () => {
    const users = await Promise.all(['Ada', 'Grace', 'Edsger'].map((name) => makeWriter(name)));
    await waitFor(NOBODY);
    const writes = users.flatMap((key) =>
      Array.from({ length: 12 }, () =>
        send(['POST', '/v1/folders', { name: randomUUID() }], randomUUID(), key),
      ),
    );
    // Of writes to one mailbox one waits for the standby, and the others for its lock.
    const waiting = `select count(*)::int as number from pg_stat_activity
      where wait_event = 'SyncRep' or wait_event_type = 'Lock'`;
    await eventually(
      async () => (await administrator.query(waiting)).rows[0].number === MOST_WRITES,
      'as many writes wait as may',
    );
    for (const key of [OWNER_KEY, ...users]) {
      const { status } = await send(['GET', '/v1/folders'], randomUUID(), key);
      assert.equal(status, 200);
    }
    await waitFor('');
    for (const { status, text } of await Promise.all(writes)) assert.equal(status, 201, text);
  });

  it('mail is not accepted where the wait was ended (OPS-65)', async () => {
    const client = await greeted(node.smtpPort);
    await client.begin(['owner@localhost']);
    await waitFor(NOBODY);
    let code = 0;
    client.send('Subject: x\r\n\r\nx\r\n.\r\n');
    const said = client.reply().then((reply) => {
      code = reply.code;
    });
    await eventually(async () => {
      await endWaits('pg_cancel_backend');
      return code !== 0;
    }, 'the wait was ended');
    await said;
    client.close();
    assert.equal(code, 451);
  });

  it('goes on in the database when the node waits no longer (OPS-67)', async () => {
    await administrator.query('create table kept (one integer)');
    const impatient = openPostgres(server.url, { statementTimeoutMs: LIMIT_MS });
    try {
      await impatient.check();
      await waitFor(NOBODY);
      const write = impatient.write((tx) => sql`insert into kept values (1)`.execute(tx));
      await assert.rejects(
        write,
        (error: Error) => error instanceof StorageUnavailable && error.message.includes('unknown'),
      );
      const { rows } = await administrator.query(
        "select query from pg_stat_activity where wait_event = 'SyncRep' and usename = current_user",
      );
      assert.deepEqual(
        rows.map(({ query }) => query),
        ['commit'],
      );
      assert.equal((await administrator.query('select from kept')).rowCount, 0);
      await waitFor('');
      await eventually(
        async () => (await administrator.query('select from kept')).rowCount === 1,
        'the commit has come to its end',
      );
    } finally {
      await waitFor('');
      await impatient.close();
    }
  });
});
