/** How much an answer tells of what is wrong with a request, and what becomes of a refusal that cannot be written. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it, test } from 'node:test';
import pino from 'pino';
import { ApiError } from '../../src/contract/errors.ts';
import { invalid } from '../../src/contract/validation.ts';
import { HttpServer } from '../../src/server/http/http-server.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { exchange, request } from './raw-http.ts';

/** With envelope, codes and punctuation. */
const LONGEST_ANSWER = 500_000;

interface Refusal {
  error: { code: string; details: { errors: { pointer: string; code: string; message: string }[] } };
}

describe('what an answer tells of the problems of a request', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('sqlite');
  });
  after(() => app.stop());

  const refusedWith = async (method: string, path: string, body: string) => {
    const response = await fetch(`${app.address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'idempotency-key': crypto.randomUUID(),
        'content-type': 'application/json',
      },
      body,
    });
    assert.equal(response.status, 400);
    const text = await response.text();
    assert.ok(text.length < LONGEST_ANSWER, `the answer has ${text.length} characters`);
    const { error } = JSON.parse(text) as Refusal;
    assert.equal(error.code, 'validation_failed');
    assert.equal((await fetch(`${app.address}/healthz`)).status, 200, 'the server goes on');
    return error.details.errors;
  };

  const text = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`;

  for (const name of ['~'.repeat(300_000), '/'.repeat(300_000), 'x'.repeat(900_000)])
    it(`is bounded where a thousand texts that cannot be kept stand below a name of ${name.length} "${name[0]}"`, async () => {
      const errors = await refusedWith('PUT', '/v1/users/me', `{"${name}":${text(1_000, '"\\u0000"')}}`);
      assert.ok(errors.every(({ pointer }) => pointer.length <= 1_000));
      assert.equal(errors.at(-1)?.code, 'too_many');
    });

  it('is bounded where names are long at each of many levels', async () => {
    const name = 'n'.repeat(1_000);
    const deep = `{"${name}":`.repeat(900);
    await refusedWith('PUT', '/v1/users/me', `${deep}"\\u0000"${'}'.repeat(900)}`);
  });

  it('is bounded where unknown members have long names', async () => {
    const members = Array.from({ length: 900 }, (_, i) => `"${'y'.repeat(1_000)}${i}":1`);
    await refusedWith('POST', '/v1/groups', `{${members.join(',')}}`);
  });

  it('is bounded where metadata holds thousands of numbers that are too large', async () => {
    const metadata = `{"${'m'.repeat(8_000)}":${text(1_600, '1e999')}}`;
    const errors = await refusedWith(
      'POST',
      '/v1/documents',
      `{"type":"document","title":"A","metadata":${metadata}}`,
    );
    assert.equal(errors[0]?.code, 'out_of_range');
    assert.equal(errors.at(-1)?.code, 'too_many');
  });

  const BATCH = '{"message_ids":["msg_1"],';
  for (const [path, body, told] of [
    ['/v1/messages/batch', `${BATCH}"add_labels":${text(101, '"a"')}}`, '/add_labels too_many'],
    ['/v1/messages/batch', `${BATCH}"add_flags":["seen"]}`, '/add_flags/0 not_allowed'],
    ['/v1/messages/batch', `${BATCH}"move_to":1}`, '/move_to wrong_type'],
    ['/v1/messages', '{"to":[],"cc":1}', '/cc wrong_type'],
    ['/v1/messages', `{"to":[],"bcc":${text(1_001, '"a@b.example"')}}`, '/bcc too_many'],
    ['/v1/files/file_1/permissions', '{"principal_id":1,"role":"viewer"}', '/principal_id wrong_type'],
    ['/v1/files/file_1/permissions', '{"email":1,"role":"viewer"}', '/email wrong_type'],
    [
      '/v1/freebusy',
      '{"attendees":1,"start":"2026-01-01T00:00:00Z","end":"2026-01-02T00:00:00Z"}',
      '/attendees wrong_type',
    ],
  ] as const)
    it(`a field of ${path} that is given and wrong is not told to be absent too: ${told} (API-169)`, async () => {
      const errors = await refusedWith('POST', path, body);
      assert.deepEqual(
        errors.map(({ pointer, code }) => `${pointer} ${code}`),
        [told],
      );
    });

  it('what is needed and absent is told (API-31)', async () => {
    const absent = async (path: string, body: string) => (await refusedWith('POST', path, body))[0]?.code;
    assert.equal(await absent('/v1/messages/batch', '{"message_ids":["msg_1"]}'), 'required');
    assert.equal(await absent('/v1/messages', '{"to":[],"cc":[]}'), 'too_few');
    assert.equal(await absent('/v1/files/file_1/permissions', '{"role":"viewer"}'), 'required');
  });

  it('an answer names a member whose name is short in full (API-31)', async () => {
    const errors = await refusedWith('POST', '/v1/groups', '{"name":"A","member_ids":[],"a~/b":1}');
    assert.deepEqual(errors, [
      { pointer: '/a~0~1b', code: 'unknown_field', message: 'There is no field a~/b here.' },
    ]);
  });
});

test('a refusal tells the first of the problems that an operation has found, and that there are more', () => {
  const problem = { pointer: '/a', code: 'invalid', message: 'x'.repeat(1_000) };
  const { details, message } = invalid([problem, ...Array<typeof problem>(500).fill(problem)]);
  const errors = details.errors as (typeof problem)[];
  assert.equal(errors.length, 201);
  assert.equal(errors.at(-1)?.message, 'There are more problems than these 200.');
  assert.ok(message.length < 1_100);
});

test('a refusal that cannot be written is answered with 500, and the server goes on', async (t) => {
  const server = new HttpServer({ log: pino({ level: 'silent' }), tls: undefined });
  t.after(() => {
    server.node.closeAllConnections();
    server.node.close();
  });
  server.route('GET', '/refused', () => {
    throw new ApiError('not_found', 'There is nothing.', { id: 1n });
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = `http://127.0.0.1:${(server.node.address() as AddressInfo).port}`;
  for (let i = 0; i < 2; i++) {
    const answer = await exchange(address, request('GET /refused HTTP/1.1'));
    assert.equal(answer.status, 500);
    assert.equal(answer.json.error.code, 'internal');
  }
});
