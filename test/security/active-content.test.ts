/** Uploaded, mailed and exported HTML, SVG, XML and PDF never run in the origin of the service, nor do their names do anything. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operationsOf } from '../../src/start/server.ts';
import { makeDocument, putContent } from '../areas/documents-world.ts';
import { append, folderOf } from '../areas/mail-world.ts';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { EXAMPLES } from '../refusals/examples.ts';
import { createWorld, type World } from '../refusals/world.ts';

const SCRIPT = '<script>fetch("/v1/messages")</script>';

/** By filename: what browsers run when they are let. */
const ACTIVE: Readonly<Record<string, string>> = {
  'page.html': `<!doctype html><title>x</title>${SCRIPT}`,
  'page.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><body onload="alert(1)">${SCRIPT}</body></html>`,
  'drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`,
  'feed.xml': `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:,x"?><feed>${SCRIPT}</feed>`,
  'paper.pdf':
    '%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\ntrailer<</Root 1 0 R>>',
  'run.js': 'alert(document.domain)',
  'page.mht': `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${SCRIPT}\r\n--b--`,
  harmless: `<html>${SCRIPT}`,
  'picture.png': `<!doctype html>${SCRIPT}`,
};

/** Names that would end the header, or the name within it, if they were let. */
const NAMES = [
  'a"; filename="evil.html',
  "a'.html",
  'a;b=c.html',
  'a%0d%0aX-Evil: 1.html',
  'exe.\u202Efdp.html',
  'größe.html',
  '文.html',
  '..html',
];

const TYPES_THAT_NEVER_RUN = /^(text\/markdown|message\/rfc822)\b/;

/** A browser neither runs it, nor takes it for something else, nor shows it within another page, nor hands it to another origin. */
function assertInert(headers: Headers, what: string): void {
  const policy = (headers.get('content-security-policy') ?? '').split(/; */);
  assert.ok(policy.includes('sandbox'), `${what}: a sandbox that allows nothing`);
  assert.ok(policy.includes("default-src 'none'") && policy.includes("frame-ancestors 'none'"), what);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', what);
  assert.equal(headers.get('access-control-allow-origin'), null, what);
  assert.equal(headers.get('x-evil'), null, what);
}

function assertDownload(headers: Headers, what: string): void {
  assertInert(headers, what);
  if (TYPES_THAT_NEVER_RUN.test(headers.get('content-type') ?? '')) return;
  assert.match(headers.get('content-disposition') ?? '', /^attachment(;|$)/, what);
}

describe('content that could run', () => {
  let world: World;
  let app: TestApp;
  before(async () => {
    world = await createWorld('sqlite');
    ({ app } = world);
  });
  after(() => app.stop());

  /** Every way in which the bytes at a path are answered. */
  const assertEveryAnswerIsInert = async (path: string) => {
    const whole = await app.get(path);
    assert.equal(whole.status, 200, whole.text);
    const etag = whole.headers.get('etag');
    assertDownload(whole.headers, path);
    assertDownload((await app.request('HEAD', path)).headers, `HEAD ${path}`);
    const asked: Record<string, string>[] = [
      { range: 'bytes=0-4' },
      { range: 'bytes=999999-' },
      ...(etag ? [{ 'if-none-match': etag }] : []),
      { origin: 'https://evil.example', accept: 'text/html' },
    ];
    for (const headers of asked) {
      assertInert((await app.get(path, { headers })).headers, `${path} ${JSON.stringify(headers)}`);
    }
  };

  for (const { id, content } of operationsOf({} as Parameters<typeof operationsOf>[0])) {
    // A letter is shown in a frame, under a policy of its own.
    if (!content || id === 'getMessageHtml') continue;
    it(`is answered inert by ${id} (API-26)`, async () => {
      const path = EXAMPLES[id]?.path(world.mine);
      assert.ok(path);
      await assertEveryAnswerIsInert(path);
    });
  }

  for (const [name, bytes] of Object.entries(ACTIVE)) {
    it(`is inert as the file ${name}`, async () => {
      const { json } = await app.post(`/v1/files?filename=${name}`, bytes);
      await assertEveryAnswerIsInert(`/v1/files/${json.data.id}/content`);
    });

    it(`runs nothing in the letter of a message that is ${name} (MAIL-92)`, async () => {
      for (const type of ['text/html', 'text/plain']) {
        const raw = Buffer.concat([
          Buffer.from(`From: a@example.org\r\nContent-Type: ${type}\r\n\r\n`),
          Buffer.from(bytes),
        ]);
        const { id } = await append(app, await folderOf(app, 'inbox'), raw);
        for (const query of ['', '?images=remote']) {
          const { headers, text } = await app.get(`/v1/messages/${id}/html${query}`);
          const policy = headers.get('content-security-policy') ?? '';
          assert.match(
            policy,
            /^default-src 'none'; .*; sandbox allow-popups allow-popups-to-escape-sandbox$/,
          );
          assert.doesNotMatch(policy, /script|allow-same-origin|allow-forms/);
          assert.doesNotMatch(text, /<(?:script|svg|iframe|object|embed|form|link|style|base)\b/i);
        }
      }
    });

    it(`is inert as the attachment ${name}, whatever type its sender gives it`, async () => {
      for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml; charset=utf-7', 'text/xml']) {
        const message = await append(app, await folderOf(app, 'inbox'), mailWith(name, type, bytes));
        const { attachments } = (await app.get(`/v1/messages/${message.id}`)).json.data;
        await assertEveryAnswerIsInert(`/v1/messages/${message.id}/attachments/${attachments[0].id}`);
        await assertEveryAnswerIsInert(`/v1/messages/${message.id}/raw`);
      }
    });
  }

  for (const name of NAMES) {
    it(`says nothing but its name when that is ${JSON.stringify(name)}`, async () => {
      const { json, status, text } = await app.post(
        `/v1/files?${new URLSearchParams({ filename: name })}`,
        ACTIVE['page.html'],
      );
      assert.equal(status, 201, text);
      const { headers } = await app.get(`/v1/files/${json.data.id}/content`);
      assertDownload(headers, name);
      const plain = headers.get('content-disposition')?.replace(/"(?:[^"\\]|\\.)*"/g, '""') ?? '';
      assert.match(plain, /^attachment; filename=[^;]+(; filename\*=UTF-8''[\w%.!~*'()-]+)?$/, plain);
    });
  }

  it('is gone from what a document leaves as', async () => {
    const { id } = await makeDocument(
      app,
      { key: OWNER_KEY },
      { title: '</title><script>alert(1)</script>' },
    );
    const markdown = `# x\n\n${SCRIPT}\n\n[a](javascript:alert(1)) ![b](data:text/html,x) <img src=x onerror=alert(1)>`;
    await putContent(app, { key: OWNER_KEY }, id, markdown);
    const path = `/v1/documents/${id}/export?format=html`;
    await assertEveryAnswerIsInert(path);
    assert.doesNotMatch((await app.get(path)).text, /<script|onerror|javascript:|data:/i);
  });

  it('is gone from the HTML that a message is shown as (MAIL-41)', async () => {
    const html = `<p>kept</p>${SCRIPT}<a href="java\tscript:alert(1)" onclick="x()">a</a><svg/onload=x()><iframe src="/docs"></iframe><form action="/v1/users"><base href="//evil.example"><meta http-equiv="refresh" content="0;url=//evil.example">`;
    const raw = `Content-Type: text/html\r\n\r\n${html}`;
    const { id } = await append(app, await folderOf(app, 'inbox'), raw);
    const shown = (await app.get(`/v1/messages/${id}`)).json.data.html;
    assert.match(shown, /<p>kept<\/p>/);
    assert.doesNotMatch(shown, /<(script|svg|iframe|form|base|meta)|javascript|onclick|onload/i);
  });
});

describe('another origin', () => {
  it('is told nothing, and may send nothing that a browser asks for first', async (t) => {
    const app = await startApp(ANY_ENGINE);
    t.after(() => app.stop());
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' };
    for (const path of ['/v1/users/me', '/v1/openapi.json', '/healthz', '/metrics', '/docs', '/v1/none']) {
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await app.request(method, path, { headers });
        const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'));
        assert.deepEqual(names, [], `${method} ${path}`);
        assert.equal(answer.headers.get('set-cookie'), null, 'nothing for a browser to send along by itself');
      }
    }
  });
});

function mailWith(name: string, type: string, content: string): string {
  return [
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    `Content-Type: ${type}; name="${name}"`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    Buffer.from(content).toString('base64'),
    '--outer--',
  ].join('\r\n');
}
