import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { registerReference } from '../../src/api/reference.ts';

describe('the reference page', () => {
  const server = Fastify();
  before(async () => {
    server.addHook('onSend', async (_request, reply) => {
      reply.headers({
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'no-store',
      });
    });
    registerReference(server);
    await server.ready();
  });
  after(() => server.close());

  it('is a page that may run only scripts of this server', async () => {
    const page = await server.inject('/docs');
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(page.headers['cache-control'], 'public, max-age=3600');
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /script-src [^;]*unsafe|https?:|\*/);
  });

  it('asks no other host and runs nothing inline', async () => {
    const { body } = await server.inject('/docs');
    const scripts = [...body.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)];
    assert.deepEqual(
      scripts.map(([, , inline]) => inline),
      ['', ''],
    );
    assert.doesNotMatch(body, /\/\//);
    assert.match(body, /data-url="v1\/openapi\.json"/);
    assert.match(body, /src="docs\/reference\.js"/);
  });

  it('sends its script compressed, whole, and once', async () => {
    const url = '/docs/reference.js';
    const compressed = await server.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
    assert.equal(compressed.headers['content-encoding'], 'gzip');
    assert.equal(compressed.headers['content-type'], 'text/javascript; charset=utf-8');
    const plain = await server.inject(url);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.ok(gunzipSync(compressed.rawPayload).equals(plain.rawPayload));
    assert.match(plain.body, /createApiReference/);
    const again = await server.inject({ url, headers: { 'if-none-match': String(plain.headers.etag) } });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, '');
  });
});
