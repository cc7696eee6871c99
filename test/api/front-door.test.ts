/** What a person or a program meets first: `GET /`, and where the reference says that the server is. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the front door', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE, { ATRIUM_IDEMPOTENCY_TTL: '7200' });
  });
  after(() => app.stop());
  const root = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${app.address}/`, { method, headers, redirect: 'manual' });
  /** The body of an answer to a GET with these lines of headers, which fetch would not send. */
  const bodyOf = async (path: string, ...lines: string[]) => {
    const { port } = new URL(app.address);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write([`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'));
    const answer = await text(socket);
    return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  };
  const originFor = async (...lines: string[]) => {
    const { servers } = await bodyOf('/v1/openapi.json', ...lines);
    return servers[0].url;
  };

  it('the root leads a browser to the reference (OPS-55)', async () => {
    for (const accept of [BROWSER, 'text/html', 'text/html, application/json;q=0.9']) {
      const answer = await root({ accept });
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, 'docs'], accept);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('vary'), 'accept');
    }
    assert.equal(
      (await fetch(`${app.address}/`, { headers: { accept: BROWSER } })).url,
      `${app.address}/docs`,
    );
  });

  it('the root tells a program where the API is (OPS-55)', async () => {
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/html',
      'text/html;q=0, */*',
      '',
    ]) {
      const answer = await root({ accept });
      assert.equal(answer.status, 200, accept);
      const { data, meta } = (await answer.json()) as { data: Record<string, string>; meta: object };
      const { version, ...places } = data;
      assert.match(version ?? '', /^\d+\.\d+\.\d+/);
      assert.deepEqual(places, {
        name: 'Atrium',
        api: `${app.address}/v1`,
        openapi: `${app.address}/v1/openapi.json`,
        docs: `${app.address}/docs`,
      });
      assert.deepEqual(Object.keys(meta), ['request_id', 'timestamp']);
      for (const path of ['/v1/openapi.json', '/docs'])
        assert.equal((await fetch(app.address + path)).status, 200);
    }
  });

  it('answers HEAD as GET, and no other method', async () => {
    assert.equal((await root({ accept: '*/*' }, 'HEAD')).status, 200);
    assert.equal((await root({ accept: 'text/html' }, 'HEAD')).headers.get('location'), 'docs');
    const refused = await root({}, 'DELETE');
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
    const { error } = (await refused.json()) as { error: { message: string } };
    assert.equal(error.message, 'This path takes GET and HEAD, not DELETE.');
  });

  it('the OpenAPI document names the server as the client has reached it (OPS-54)', async () => {
    const { port } = new URL(app.address);
    assert.equal(await originFor(`Host: localhost:${port}`), `http://localhost:${port}`);
    assert.equal(await originFor('Host: [::1]:9000'), 'http://[::1]:9000');
    assert.equal(
      await originFor(
        'Host: Atrium.Example.org',
        'X-Forwarded-Proto: https, http',
        'X-Forwarded-Prefix: /team/a',
      ),
      'https://atrium.example.org/team/a',
    );
  });

  it('takes no header for its own address that is none', async () => {
    for (const host of ['a$b', "it's", 'a:b', 'x:99999', '[::z]', 'a..b:1:2', '-a']) {
      assert.equal(await originFor(`Host: ${host}`), app.address, host);
    }
    const lines = ['Host: a.example', 'X-Forwarded-Proto: javascript', 'X-Forwarded-Prefix: //b.example'];
    assert.equal(await originFor(...lines), 'http://a.example');
    assert.equal(await originFor('Host: a.example', 'X-Forwarded-Prefix: /a/../b'), 'http://a.example');
  });

  it('lets no cache keep what was told one client', async () => {
    for (const path of ['/', '/v1/openapi.json']) {
      assert.equal((await fetch(app.address + path)).headers.get('cache-control'), 'no-store', path);
    }
  });

  it('introduces itself by a first request that works, and how long answers are kept', async () => {
    const { info } = (await (await fetch(`${app.address}/v1/openapi.json`)).json()) as {
      info: { description: string };
    };
    const sections = [...info.description.matchAll(/^# (.*)$/gm)].map(([, title]) => title);
    assert.deepEqual(sections, [
      'First request',
      'Idempotency',
      'Paging',
      'Dates',
      'Ids',
      'Limits',
      'Client',
      'Errors',
    ]);
    const [, url = ''] = /curl -H "Authorization: Bearer \$KEY" \\\n +(\S+)/.exec(info.description) ?? [];
    assert.ok(url.startsWith(`${app.address}/v1/`), url);
    assert.equal((await app.get(url.slice(app.address.length))).status, 200);
    assert.match(info.description, /The answer is kept\s+for 2 hours;/);
    assert.doesNotMatch(info.description, /^\|/m, 'no table');
  });

  it('a problem of a value says what is wanted, with an example (API-159)', async () => {
    const question = { attendees: ['owner@localhost'], start: '2026-11-30', end: '2026-12-01T00:00:00Z' };
    const refused = await app.post('/v1/freebusy', question);
    assert.deepEqual(refused.json.error.details.errors, [
      {
        pointer: '/start',
        code: 'wrong_format',
        message: 'Needs a time and an offset, as "2026-11-30T00:00:00Z".',
      },
    ]);
  });
});
