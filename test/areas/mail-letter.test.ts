/** A message as a page for a sandboxed frame. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const MIB = 1024 * 1024;

interface Picture {
  id: string;
  type?: string;
  bytes?: Buffer;
}

/** A message of HTML with pictures in it. */
function related(html: string, pictures: readonly Picture[]): string {
  const parts = pictures.map(({ id, type = 'image/png', bytes = PNG }) =>
    [
      `Content-Type: ${type}`,
      `Content-ID: <${id}>`,
      'Content-Disposition: inline',
      'Content-Transfer-Encoding: base64',
      '',
      bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
    ].join('\r\n'),
  );
  const first = `Content-Type: text/html; charset=utf-8\r\n\r\n${html}`;
  const body = [first, ...parts].map((part) => `--b\r\n${part}\r\n`).join('');
  return `From: a@example.org\r\nSubject: x\r\nContent-Type: multipart/related; boundary=b\r\n\r\n${body}--b--\r\n`;
}

forEachEngine((engine) => {
  describe('a message as a page', () => {
    let app: TestApp;
    let inbox: string;
    before(async () => {
      app = await startApp(engine);
      inbox = await folderOf(app, 'inbox');
    });
    after(() => app.stop());

    const letterOf = async (raw: string, query = '') => {
      const { id } = await append(app, inbox, raw);
      const answer = await app.get(`/v1/messages/${id}/html${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };

    it('is sanitized HTML under a policy that runs and loads nothing (MAIL-92)', async () => {
      const { text, headers } = await letterOf(
        related(
          '<p onclick="x()">Hello <b>you</b><script>alert(1)</script><form action="/x"><input></form>',
          [],
        ),
      );
      assert.match(text, /^<!doctype html>.*<p>Hello <b>you<\/b>/s);
      assert.doesNotMatch(text, /onclick|script|form|input/);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('content-disposition'), null);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('cache-control'), 'no-store');
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline'; img-src data:; /);
      for (const directive of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'"])
        assert.ok(policy.includes(directive), policy);
      assert.match(policy, /sandbox allow-popups allow-popups-to-escape-sandbox$/);
    });

    it('is the escaped text where a message has no HTML (MAIL-92)', async () => {
      const { text } = await letterOf(rfc822({ body: '1 < 2 & <script>alert(1)</script>\r\n  indented' }));
      assert.ok(text.includes('1 &lt; 2 &amp; &lt;script&gt;alert(1)&lt;/script&gt;'), text);
      assert.match(text, /<pre style="white-space: pre-wrap">/);
    });

    it('loads pictures of others only where the reader asks for them (MAIL-93)', async () => {
      const html = '<img alt="A" src="https://tracker.example/a.png?x=1&amp;y=2">';
      const { text } = await letterOf(related(html, []));
      assert.match(text, /<img alt="A" \/>/);
      assert.doesNotMatch(text, /tracker/);
      const remote = await letterOf(related(html, []), '?images=remote');
      assert.match(remote.text, /src="https:\/\/tracker\.example\/a\.png\?x=1&amp;y=2"/);
      assert.match(remote.headers.get('content-security-policy') ?? '', /; img-src data: https:; /);
    });

    it('loads no picture of others by an attribute that looks like another (MAIL-93)', async () => {
      const source = 'src="https://tracker.example/a.png"';
      for (const tag of [
        `<img alt=" src=" title="x" ${source}>`,
        `<img title=" src=" alt=" src=" ${source}>`,
        `<img alt=" src=data:x" title=' src="data:' ${source}>`,
        `<img alt ${source}>`,
        `<img alt="&lt;img src=&quot;" ${source} title="&gt;">`,
        `<img style="color: red; font-family: 'a src='" ${source}>`,
        `<img ${source} alt=" src=">`,
      ]) {
        const { text } = await letterOf(related(`<p>before</p>${tag}<p>after</p>`, []));
        assert.ok(!text.includes('tracker'), `${tag}: ${text}`);
        assert.match(text, /<p>before<\/p><img [^<>]*\/><p>after<\/p>/);
      }
    });

    it('is read by others while some take long letters and do not read them (MAIL-94)', async () => {
      const large = related('<img src="cid:l@x">', [{ id: 'l@x', bytes: Buffer.alloc(7 * MIB, 1) }]);
      const { id } = await append(app, inbox, large);
      const { hostname, port, host } = new URL(app.address);
      const lines = [
        `GET /v1/messages/${id}/html HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${OWNER_KEY}`,
      ];
      const slow = Array.from({ length: 8 }, () => connect(Number(port), hostname));
      try {
        for (const socket of slow) socket.pause().write(`${lines.join('\r\n')}\r\n\r\n`);
        for (const socket of slow) {
          await once(socket, 'readable');
          assert.match(String(socket.read(12)), /^HTTP\/1.1 200/);
        }
        const { text } = await letterOf(related('<img src="cid:s@x">', [{ id: 's@x' }]));
        assert.match(text, /data:image/);
        assert.ok((await app.get(`/v1/messages/${id}/html`)).text.length > 7 * MIB);
      } finally {
        for (const socket of slow) socket.destroy();
      }
      const pending = () =>
        app.services.database.read((tx) => tx.selectFrom('pending_blobs').selectAll().execute());
      await eventually(async () => (await pending()).length === 0, 'what was staged for letters is removed');
    });

    it('holds the pictures that it names by Content-ID (MAIL-94)', async () => {
      const html =
        '<img src="cid:a@x"><img src="cid:b%2Bc@x"><img src="cid:missing@x"><img src="CID:a@x"><p> src="cid:a@x" </p>';
      const { text } = await letterOf(related(html, [{ id: 'a@x' }, { id: 'b+c@x', type: 'IMAGE/GIF' }]));
      const png = `<img src="data:image/png;base64,${PNG.toString('base64')}" />`;
      const gif = `<img src="data:image/gif;base64,${PNG.toString('base64')}" />`;
      assert.ok(text.includes(`${png}${gif}<img />${png}<p> src="cid:a@x" </p>`), text);
    });

    it('leaves out pictures that may be more than pixels (MAIL-94)', async () => {
      const pictures = [
        { id: 'svg@x', type: 'image/svg+xml', bytes: Buffer.from('<svg onload="x()"/>') },
        { id: 'html@x', type: 'text/html', bytes: Buffer.from('<script>x()</script>') },
        { id: 'odd@x', type: 'image/png"onerror="x()', bytes: PNG },
      ];
      const html = pictures.map(({ id }) => `<img src="cid:${id}">`).join('');
      const { text } = await letterOf(related(html, pictures));
      assert.match(text, /<body><img \/><img \/><img \/>/);
    });

    it('holds at most 8 MiB of pictures, counted as often as they are shown (MAIL-94)', async () => {
      const large = Buffer.alloc(3 * MIB, 1);
      const html = '<img src="cid:l@x"><img src="cid:l@x"><img src="cid:l@x"><img src="cid:s@x">';
      const { text } = await letterOf(related(html, [{ id: 'l@x', bytes: large }, { id: 's@x' }]));
      assert.equal(text.match(/data:image/g)?.length, 2);
      const alone = await letterOf(
        related('<img src="cid:h@x"><img src="cid:s@x">', [
          { id: 'h@x', bytes: Buffer.alloc(9 * MIB) },
          { id: 's@x' },
        ]),
      );
      assert.match(alone.text, /<img \/><img src="data:image\/png/);
    });
  });
});
