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

  it('the root and the addresses of its pages give a browser the console (OPS-55)', async () => {
    for (const accept of [BROWSER, 'text/html', 'text/html, application/json;q=0.9']) {
      for (const path of ['/', '/mail', '/mail/inbox/msg_1', '/files/folder/fld_1', '/contacts']) {
        const answer = await fetch(`${app.address}${path}`, { headers: { accept } });
        assert.deepEqual(
          [answer.status, answer.headers.get('content-type')],
          [200, 'text/html; charset=utf-8'],
        );
        assert.equal(answer.headers.get('vary'), 'accept');
        assert.match(await answer.text(), /<div id="console">/);
      }
    }
  });

  it('the page allows nothing inline, no other host, and no script that is made from text (SIGN-29)', async () => {
    const { headers } = await fetch(`${app.address}/`, { headers: { accept: BROWSER } });
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; " +
        "font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types atrium",
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
  });

  it('each file that the page names is there, compressed as the browser takes it, for ever (SIGN-30)', async () => {
    const page = await (await fetch(`${app.address}/`, { headers: { accept: BROWSER } })).text();
    const names = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    assert.equal(names.length, 2);
    for (const path of names) {
      const bodies: string[] = [];
      for (const encoding of ['br', 'gzip', 'identity']) {
        const answer = await fetch(`${app.address}${path}`, { headers: { 'accept-encoding': encoding } });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-encoding') ?? 'identity', encoding);
        assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/(?:javascript|css)/);
        bodies.push(await answer.text());
      }
      assert.equal(new Set(bodies).size, 1);
    }
    for (const path of [
      'manifest.json',
      'none-ABCDEFGH.js',
      '..%2Fmanifest.json',
      '..%2F..%2Fpackage.json',
      'a.js.gz',
    ])
      assert.equal((await fetch(`${app.address}/console/assets/${path}`)).status, 404, path);
  });

  it('an address of a page is no place for programs', async () => {
    for (const path of ['/mail', '/files/x']) {
      const answer = await fetch(`${app.address}${path}`, { headers: { accept: 'application/json' } });
      assert.equal(answer.status, 404);
      assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'not_found');
    }
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
    const head = await root({ accept: 'text/html' }, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
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
        message: 'Add a time and an offset, such as "2026-11-30T00:00:00Z".',
      },
    ]);
  });

  it('so does the problem of a member that is absent, and of a list (API-159)', async () => {
    const problemOf = async (path: string, body: object) => {
      const [{ pointer, message }] = (await app.post(path, body)).json.error.details.errors;
      return [pointer, message];
    };
    const name = 'Give a string that shows something, not only blanks, such as "Work".';
    assert.deepEqual(await problemOf('/v1/calendars', {}), ['/name', `name is required. ${name}`]);
    const [pointer, message] = await problemOf('/v1/messages', { to: 'ada@example.org' });
    assert.equal(pointer, '/to');
    assert.match(message, /^Give an array of at most 1000 items, such as \[".*@.*"\]\.$/);
  });
});
