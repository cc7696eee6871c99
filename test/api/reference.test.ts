import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

describe('the reference page', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE);
  });
  after(() => app.stop());
  const get = (path: string, headers: Record<string, string> = {}) => fetch(app.address + path, { headers });

  it('the reference is a page that may run only scripts of this server (API-26, OPS-38)', async () => {
    const page = await get('/docs');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('cache-control'), 'public, max-age=3600');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /script-src [^;]*unsafe|https?:|\*/);
  });

  it('asks no other host and runs nothing inline', async () => {
    const body = await (await get('/docs')).text();
    const scripts = [...body.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)];
    assert.deepEqual(
      scripts.map(([, , inline]) => inline),
      ['', ''],
    );
    assert.doesNotMatch(body, /\/\//);
    assert.match(body, /data-url="v1\/openapi\.json"/);
    assert.match(body, /src="docs\/reference\.js"/);
  });

  it('keeps the words of tables whole', async () => {
    const body = await (await get('/docs')).text();
    assert.match(body, /<style>[^<]*:is\(th, td\) \* \{ word-break: normal; overflow-wrap: normal; \}/);
  });

  it('keeps the order in which fields are declared, and the words of lists whole', async () => {
    const body = await (await get('/docs')).text();
    const [, settings = ''] = /data-configuration='([^']*)'/.exec(body) ?? [];
    const { orderSchemaPropertiesBy, orderRequiredPropertiesFirst } = JSON.parse(settings);
    assert.deepEqual([orderSchemaPropertiesBy, orderRequiredPropertiesFirst], ['preserve', false]);
    assert.match(body, /<style>[^<]* li code \{ white-space: nowrap; /);
  });

  it('sends its script compressed or not, and once', async () => {
    const path = '/docs/reference.js';
    const compressed = await get(path, { 'accept-encoding': 'gzip, br' });
    assert.equal(compressed.headers.get('content-encoding'), 'gzip');
    assert.equal(compressed.headers.get('content-type'), 'text/javascript; charset=utf-8');
    const plain = await get(path, { 'accept-encoding': 'identity' });
    assert.equal(plain.headers.get('content-encoding'), null);
    const text = await plain.text();
    assert.equal(await compressed.text(), text);
    assert.match(text, /createApiReference/);
    const again = await get(path, { 'if-none-match': plain.headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
    assert.equal(await again.text(), '');
  });
});
