/** The table of errors: for each code the request that gets it, its status, and the details on which clients may rely. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { ERRORS, type ErrorCode } from '../../src/contract/errors.ts';
import { WorkbookNotHeld } from '../../src/formulas/calculation.ts';
import { createNodeServer, PATIENCE } from '../../src/server/http/node-server.ts';
import { data, makeKey, makeWorkspace } from '../areas/accounts.ts';
import { makeDocument, putContent } from '../areas/documents-world.ts';
import { makePerson, type Person, putFile, shareWith, theOwner } from '../areas/files-world.ts';
import { folderOf } from '../areas/mail-world.ts';
import { makeSpreadsheet, put, rangePath } from '../areas/spreadsheets-world.ts';
import { complete, digestOf, PART, putPart, start } from '../areas/uploads-world.ts';
import { letTimePass, setClockAhead } from '../clock.ts';
import { type Answer, OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { exchange, openConnection, type RawAnswer, request } from './raw-http.ts';

const KEY = { authorization: `Bearer ${OWNER_KEY}`, 'idempotency-key': 'one' };
const GROUP = { name: 'Team', member_ids: [] };
const FLAGGED = { message_ids: ['msg_x'], op: 'add' };
const MOST_FILE = 100_000_000;

/** What a request is made of. */
type Ground = { app: TestApp; owner: Person; other: Person; t: TestContext };

type Row = [
  status: number,
  /** The members of details that the table names. */
  members: string[],
  ask: (ground: Ground) => Promise<Pick<Answer | RawAnswer, 'status' | 'json' | 'text'>>,
];

const sendRaw = ({ app }: Ground, line: string, headers: Record<string, string>, body = '') =>
  exchange(app.address, request(line, headers, body));
const reused = { idempotencyKey: 'used-for-another' };
const actions = [{ type: 'mark_read' }];

const ROWS: Record<ErrorCode, Row> = {
  // API-33
  validation_failed: [400, ['errors'], ({ app }) => app.post('/v1/groups', {})],
  // API-34
  invalid_json: [
    400,
    [],
    ({ app }) =>
      app.request('POST', '/v1/groups', { body: '{', headers: { 'content-type': 'application/json' } }),
  ],
  // API-35
  malformed_request: [400, [], ({ app }) => exchange(app.address, 'GARBAGE\r\n\r\n')],
  // API-36
  filter_required: [400, [], ({ app }) => app.get('/v1/messages')],
  // API-37
  invalid_cursor: [400, ['reason'], ({ app }) => app.get('/v1/users?cursor=x')],
  // API-38
  idempotency_key_required: [400, [], ({ app }) => app.post('/v1/groups', GROUP, { idempotencyKey: null })],
  // API-39
  invalid_idempotency_key: [400, [], ({ app }) => app.post('/v1/groups', GROUP, { idempotencyKey: 'a b' })],
  // API-40
  messages_not_in_folder: [
    400,
    ['message_ids'],
    async ({ app }) => app.post(`/v1/folders/${await folderOf(app, 'inbox')}/messages/flags`, FLAGGED),
  ],
  // API-41
  unsupported_operator: [
    400,
    [],
    ({ app }) => {
      const conditions = [{ field: 'subject', op: 'regex', value: 'x' }];
      return app.post('/v1/mail/filters', { name: 'F', priority: 1, rule: { conditions, actions } });
    },
  ],
  // API-42
  values_exceed_range: [
    400,
    ['columns', 'range', 'rows'],
    async ({ app }) => put(app, await makeSpreadsheet(app), 'A1:B1', [[1, 2, 3]]),
  ],
  // API-43
  invalid_part_number: [
    400,
    ['actual', 'expected'],
    async ({ app }) => putPart(app, (await start(app, 3)).session_id, 2, 'abc'),
  ],
  // API-44
  invalid_part_size: [
    400,
    ['actual', 'expected'],
    async ({ app }) => putPart(app, (await start(app, 3)).session_id, 1, 'ab'),
  ],
  // API-45
  digest_mismatch: [
    400,
    ['actual', 'expected'],
    async ({ app }) => {
      const headers = { 'content-digest': digestOf(Buffer.from('abd')) };
      return putPart(app, (await start(app, 3)).session_id, 1, 'abc', { headers });
    },
  ],
  // API-46
  unauthenticated: [401, [], ({ app }) => app.get('/v1/users', { key: null })],
  // API-47
  invalid_api_key: [401, [], ({ app }) => app.get('/v1/users', { key: 'atr_nobody' })],
  // SIGN-24
  invalid_sign_in_code: [
    401,
    [],
    ({ app }) =>
      app.post('/console/session', { code: 'x' }, { headers: { 'sec-fetch-site': 'same-origin' } }),
  ],
  // SIGN-25
  foreign_site: [
    403,
    [],
    ({ app }) => app.post('/console/session', { code: 'x' }, { headers: { 'sec-fetch-site': 'cross-site' } }),
  ],
  // API-48
  insufficient_scope: [
    403,
    ['missing_permission'],
    async ({ app }) => app.get('/v1/users', { key: (await makeKey(app, ['keys.read'])).key }),
  ],
  // API-49
  forbidden: [
    403,
    ['required_role'],
    async ({ app, owner, other }) => {
      const { id } = await putFile(app, owner);
      await shareWith(app, owner, id, other.id, 'viewer');
      return app.put(`/v1/files/${id}`, { title: 'T' }, { key: other.key });
    },
  ],
  // API-50
  not_found: [404, ['id', 'resource'], ({ app }) => app.get('/v1/users/usr_x')],
  // API-51
  method_not_allowed: [405, ['allow'], ({ app }) => app.request('PATCH', '/v1/users')],
  // API-52
  request_timeout: [408, [], ({ t }) => askTooSlowly(t)],
  // API-53, API-156
  upload_timeout: [
    408,
    [],
    async (ground) => {
      const { singleRequest } = ground.app.services.uploads.limits;
      assert.equal(singleRequest.afterMs, 100_000);
      singleRequest.afterMs = 200;
      const headers = { ...KEY, 'content-length': '100' };
      const sent = sendRaw(ground, 'POST /v1/files?filename=a HTTP/1.1', headers, 'some');
      return sent.finally(() => (singleRequest.afterMs = 100_000));
    },
  ],
  // API-54
  folder_exists: [409, [], ({ app }) => app.post('/v1/folders', { name: 'Inbox' })],
  // API-55
  folder_cycle: [
    409,
    [],
    async ({ app }) => {
      const inbox = await folderOf(app, 'inbox');
      return app.put(`/v1/folders/${inbox}`, { parent_id: inbox });
    },
  ],
  // API-165
  folder_too_deep: [
    409,
    ['parent_id', 'most'],
    async ({ app }) => {
      let id = '';
      for (let i = 0; i < 100; i++)
        id = data(await app.post('/v1/folders', { name: 'x', parent_id: id }), 201).id;
      return app.post('/v1/folders', { name: 'x', parent_id: id });
    },
  ],
  // API-166
  folder_not_empty: [
    409,
    ['folder_id', 'message_count', 'has_folders'],
    async ({ app }) => {
      const { id } = data(await app.post('/v1/folders', { name: 'Parent' }), 201);
      await app.post('/v1/folders', { name: 'Child', parent_id: id });
      return app.delete(`/v1/folders/${id}`);
    },
  ],
  // API-167
  folder_has_role: [409, ['folder_id', 'role'], ({ app }) => app.delete('/v1/folders/archive')],
  // API-56
  folder_trashed: [
    409,
    [],
    async ({ app }) => {
      const { id } = data(await app.post('/v1/file-folders', { name: 'Trashed' }), 201);
      await app.delete(`/v1/file-folders/${id}`);
      return app.post('/v1/file-folders', { name: 'Inside', parent_id: id });
    },
  ],
  // API-57
  upload_finished: [
    409,
    ['file_id'],
    async ({ app }) => {
      const { session_id: id } = await start(app, 1);
      await putPart(app, id, 1, 'x');
      await complete(app, id);
      return putPart(app, id, 1, 'x');
    },
  ],
  // API-58
  parts_missing: [
    409,
    ['missing_parts'],
    async ({ app }) => complete(app, (await start(app, PART + 1)).session_id),
  ],
  // API-59
  resource_busy: [
    409,
    ['ends_at', 'resource_id', 'starts_at'],
    async ({ app }) => {
      const { id } = data(await app.post('/v1/resources', { name: 'Room', kind: 'room' }), 201);
      const [calendar] = data(await app.get('/v1/calendars'));
      const meeting = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z', resources: [id] };
      data(await app.post(`/v1/calendars/${calendar.id}/events`, meeting), 201);
      return app.post(`/v1/calendars/${calendar.id}/events`, meeting);
    },
  ],
  // API-60
  last_owner: [409, [], ({ app }) => app.put('/v1/users/me', { state: 'suspended' })],
  // API-61
  email_taken: [409, ['email'], ({ app }) => app.post('/v1/users', { name: 'T', email: 'owner@localhost' })],
  // API-163, MAIL-90
  draft_sending: [
    409,
    [],
    async ({ app }) => {
      const { id } = data(await app.post('/v1/drafts', {}), 201);
      await app.services.database.write((tx) =>
        tx
          .updateTable('mail_drafts')
          .set({ sent_by: 'another request', sent_until: Date.now() + 60_000 })
          .execute(),
      );
      return app.put(`/v1/drafts/${id}`, {});
    },
  ],
  // API-162, CHANGE-57
  webhook_stopped: [
    409,
    ['key_id'],
    async ({ app }) => {
      const { id: keyId, key } = await makeKey(app, ['webhooks.write', 'files.read']);
      const body = { url: 'https://localhost/hook', types: ['file.*'] };
      const { id } = data(await app.post('/v1/webhooks', body, { key }), 201);
      await app.delete(`/v1/api-keys/${keyId}`);
      return app.post(`/v1/webhooks/${id}/resume`);
    },
  ],
  // API-62
  cursor_expired: [
    410,
    [],
    async ({ app, t }) => {
      const { next_cursor: cursor } = (await app.get('/v1/users?limit=1')).json.pagination;
      setClockAhead(t, app.config.cursorTtlSeconds * 1_000);
      return app.get(`/v1/users?limit=1&cursor=${cursor}`);
    },
  ],
  // API-63, OPS-27
  upload_expired: [
    410,
    [],
    async ({ app }) => {
      const { session_id: id } = await start(app, 1);
      await letTimePass(app.services, app.config.uploadTtlSeconds * 1_000);
      return putPart(app, id, 1, 'x');
    },
  ],
  // API-64
  upload_aborted: [
    410,
    [],
    async ({ app }) => {
      const { session_id: id } = await start(app, 1);
      await app.delete(`/v1/files/uploads/${id}`);
      return complete(app, id);
    },
  ],
  // API-65
  length_required: [
    411,
    [],
    async (ground) => {
      const { session_id: id } = await start(ground.app, 1);
      const headers = { ...KEY, 'transfer-encoding': 'chunked' };
      return sendRaw(ground, `PUT /v1/files/uploads/${id}/parts/1 HTTP/1.1`, headers, '1\r\nx\r\n0\r\n\r\n');
    },
  ],
  // API-66
  state_mismatch: [
    412,
    ['state'],
    async ({ app, owner }) => putContent(app, owner, (await makeDocument(app, owner)).id, 'x', 'other'),
  ],
  // API-67
  payload_too_large: [413, [], ({ app }) => app.post('/v1/groups', { name: 'x'.repeat(10_000_000) })],
  // API-68, OPS-25
  file_too_large: [
    413,
    [],
    ({ app }) => app.post('/v1/files/uploads', { filename: 'a', size: MOST_FILE + 1 }),
  ],
  // API-69
  unsupported_media_type: [415, ['expected'], ({ app }) => app.post('/v1/groups', 'x')],
  // API-70
  range_not_satisfiable: [
    416,
    ['size'],
    async ({ app, owner }) =>
      app.get(`/v1/files/${(await putFile(app, owner)).id}/content`, { headers: { range: 'bytes=99-' } }),
  ],
  // API-71
  expectation_failed: [
    417,
    [],
    (ground) => sendRaw(ground, 'GET /v1/users HTTP/1.1', { ...KEY, expect: 'more' }),
  ],
  // API-72
  idempotency_key_reused: [
    422,
    [],
    async ({ app }) => {
      data(await app.post('/v1/groups', GROUP, reused), 201);
      return app.post('/v1/groups', { ...GROUP, name: 'Another' }, reused);
    },
  ],
  // API-73
  trashed: [
    422,
    [],
    async ({ app, owner }) => {
      const { id } = await makeDocument(app, owner);
      await app.delete(`/v1/documents/${id}`);
      return putContent(app, owner, id, 'x');
    },
  ],
  // API-74
  unreadable_file: [
    422,
    ['reason'],
    async ({ app, owner }) => {
      const { id } = await putFile(app, owner, { bytes: Buffer.from('PK\x03\x04 no workbook') });
      return app.post('/v1/documents', { type: 'spreadsheet', title: 'T', source_file_id: id });
    },
  ],
  // API-75
  no_relay: [422, ['recipients'], ({ app }) => app.post('/v1/messages', { to: ['far@away.example'] })],
  // API-164, MAIL-89
  no_recipients: [
    422,
    [],
    async ({ app }) => {
      const { id } = data(await app.post('/v1/drafts', { subject: 'To nobody' }), 201);
      return app.post(`/v1/drafts/${id}/send`);
    },
  ],
  // API-76
  unknown_recipient: [
    422,
    ['recipients'],
    ({ app }) => app.post('/v1/messages', { to: ['nobody@localhost'] }),
  ],
  // API-77
  calculation_stopped: [
    422,
    [],
    async ({ app, t }) => {
      // Formulas that need so long are left to test/security/isolation.test.ts.
      // biome-ignore lint/correctness/useYield: it fails before it comes to anything
      t.mock.method(app.services.calculation, 'portions', async function* () {
        throw new WorkbookNotHeld('no room');
      });
      const id = await makeSpreadsheet(app);
      await put(app, id, 'A1', [['=1+1']]);
      return app.get(rangePath(id, 'A1', '?render=value'));
    },
  ],
  // API-78
  precondition_required: [
    428,
    [],
    async ({ app, owner }) => putContent(app, owner, (await makeDocument(app, owner)).id, 'x', null),
  ],
  // API-168
  workspace_moved: [
    421,
    ['location'],
    async ({ app }) => {
      const { ownerId, key } = await makeWorkspace(app);
      await app.services.database.write(async (tx) => {
        const user = await app.services.directory.findUser(tx, ownerId);
        const row = { move_id: 'move_x', location: 'https://there.example', worker: '' };
        await tx
          .insertInto('workspace_moves')
          .values({
            workspace_id: user?.workspaceId ?? '',
            state: 'left',
            claimed_until: 0,
            began_at: 0,
            move_id: row.move_id,
            location: row.location,
            worker: row.worker,
          })
          .execute();
      });
      return app.get('/v1/users', { key });
    },
  ],
  // API-79
  rate_limited: [
    429,
    [],
    async ({ t }) => {
      const limited = await startApp('sqlite', { ATRIUM_RATE_LIMIT: '1' });
      t.after(() => limited.stop());
      await limited.get('/v1/users/me');
      return limited.get('/v1/users/me');
    },
  ],
  // API-80
  headers_too_large: [
    431,
    [],
    (ground) => sendRaw(ground, 'GET /v1/users HTTP/1.1', { x: 'x'.repeat(200_000) }),
  ],
  // API-81
  internal: [
    500,
    [],
    ({ app, t }) => {
      t.mock.method(app.services.keys, 'listKeys', () => Promise.reject(new Error('not today')));
      return app.get('/v1/api-keys');
    },
  ],
  // API-82
  unavailable: [
    503,
    [],
    ({ app, t }) => {
      t.mock.method(app.services.blobs, 'put', () => Promise.reject(new BlobsUnavailable('away')));
      return app.post('/v1/files?filename=a', 'x');
    },
  ],
  // API-83
  quota_exceeded: [
    507,
    [],
    ({ app, t }) => {
      t.mock.method(app.services.blobs, 'free', async () => 9);
      return app.post('/v1/files/uploads', { filename: 'a', size: 10 });
    },
  ],
};

/** Asks a server without patience, and sends no end of the headers. */
async function askTooSlowly(t: TestContext): Promise<RawAnswer> {
  const server = createNodeServer(() => undefined, undefined, { ...PATIENCE, headers: 200, lookEvery: 50 });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const connection = await openConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return connection.send('GET / HTTP/1.1\r\nHost: a\r\n').next();
}

describe('the table of errors', () => {
  let app: TestApp;
  let owner: Person;
  let other: Person;
  before(async () => {
    app = await startApp('sqlite', { ATRIUM_MAX_FILE_SIZE: String(MOST_FILE) });
    [owner, other] = [await theOwner(app), await makePerson(app)];
  });
  after(() => app.stop());

  test('has every code of the server, and no other (API-28)', () => {
    assert.deepEqual(Object.keys(ROWS).sort(), Object.keys(ERRORS).sort());
  });

  for (const [code, [status, members, ask]] of Object.entries(ROWS)) {
    test(`answers ${code} with ${status} and the details ${members.join(', ') || 'of no member'} (API-27, API-28, API-29)`, async (t) => {
      const answer = await ask({ app, owner, other, t });
      assert.equal(answer.json?.error?.code, code, answer.text);
      assert.equal(answer.status, status);
      assert.deepEqual(Object.keys(answer.json), ['error', 'meta']);
      assert.deepEqual(Object.keys(answer.json.error), ['code', 'message', 'details']);
      for (const member of members) assert.ok(member in answer.json.error.details, member);
    });
  }
});
