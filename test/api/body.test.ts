import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readBody } from '../../src/server/http/body.ts';
import { OWNER_KEY, startApp } from '../harness.ts';
import { exchange, request } from './raw-http.ts';

/** Comes in two reads of a socket, both of which a request takes before anybody asks it for its body. */
const LARGE = 100_000;
/** So long that all of it is there by then; were it not, nothing would be refused wrongly. */
const LOOKED_UP_IN_MS = 100;

it('a body that has come whole, in several pieces, is read whole', async () => {
  for (const pieces of [['one'], ['one', 'two'], ['one', 'two', 'three']]) {
    const message = new IncomingMessage(new Socket());
    const whole = pieces.join('');
    message.headers = { 'content-length': String(whole.length) };
    for (const piece of [...pieces.map((text) => Buffer.from(text)), null]) message.push(piece);
    assert.equal(String(await readBody(message, LARGE)), whole);
  }
});

it('a body may come whole while its key is looked up', async (t) => {
  const app = await startApp('sqlite');
  t.after(() => app.stop());
  const { authentication } = app.services;
  const authenticate = authentication.authenticate.bind(authentication);
  t.mock.method(authentication, 'authenticate', async (header: string | undefined) => {
    await pause(LOOKED_UP_IN_MS);
    return authenticate(header);
  });
  const body = JSON.stringify({ name: 'x'.repeat(LARGE) });
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'idempotency-key': 'large' };
  const head = request('POST /v1/address-books HTTP/1.1', {
    ...headers,
    'content-type': 'application/json',
    'content-length': String(body.length),
  });
  const answer = await exchange(app.address, head + body);
  assert.equal(answer.json.error.code, 'validation_failed', answer.text);
});
