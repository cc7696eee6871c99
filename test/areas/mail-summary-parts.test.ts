/** What summaries of a list have beside the rest where it is asked for. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { append } from './mail-world.ts';

const message = (fields: { to?: string; cc?: string; type?: string; body: string }) =>
  [
    'From: Ada <ada@x.test>',
    ...(fields.to === undefined ? [] : [`To: ${fields.to}`]),
    ...(fields.cc === undefined ? [] : [`Cc: ${fields.cc}`]),
    `Content-Type: ${fields.type ?? 'text/plain; charset=utf-8'}`,
    '',
    fields.body,
  ].join('\r\n');

forEachEngine((engine) => {
  describe('parts of summaries', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    async function mailbox(raws: readonly string[]) {
      const { id } = await makeUser(app);
      const { key } = await makeKey(app, ['mail.messages.read', 'mail.messages.write'], { user_id: id });
      const summaries = [];
      for (const raw of raws) summaries.push(await append(app, 'inbox', raw, { key }));
      // Oldest first, as they were put there.
      const listed = async (include: string) =>
        data(await app.get(`/v1/messages?folder_id=inbox&limit=200${include}`, { key })).reverse();
      return { key, summaries, listed };
    }

    const previewsOf = async (raws: readonly string[]): Promise<string[]> => {
      const { listed } = await mailbox(raws);
      return (await listed('&include=preview')).map(({ preview }: { preview: string }) => preview);
    };

    it('a summary has neither preview nor recipients unless they are asked for (MAIL-28, MAIL-111, MAIL-112)', async () => {
      const { summaries, listed, key } = await mailbox([message({ to: 'Bob <b@x.test>', body: 'See you.' })]);
      assert.deepEqual(await listed(''), summaries);
      const [summary] = summaries;
      const preview = { ...summary, preview: 'See you.' };
      const recipients = { to: ['Bob <b@x.test>'], cc: [], more_recipients: 0 };
      assert.deepEqual(await listed('&include=preview'), [preview]);
      assert.deepEqual(await listed('&include=recipients'), [{ ...summary, ...recipients }]);
      assert.deepEqual(await listed('&include=recipients&include=preview'), [{ ...preview, ...recipients }]);
      const thread = `/v1/threads/${summary.thread_id}/messages?include=preview`;
      assert.deepEqual(data(await app.get(thread, { key })), [preview]);
      const filtered = `/v1/messages?folder_id=inbox&thread_id=${summary.thread_id}&include=preview`;
      assert.deepEqual(data(await app.get(filtered, { key })), [preview]);
    });

    it('the next page of a list may show other parts (API-140)', async () => {
      const { key, summaries } = await mailbox([message({ body: 'One.' }), message({ body: 'Two.' })]);
      const thread = `/v1/threads/${summaries[0].thread_id}/messages`;
      for (const [path, shown] of [
        ['/v1/messages?folder_id=inbox&limit=1', ['One.']],
        [`${thread}?limit=1`, []],
      ] as const) {
        const { next_cursor } = (await app.get(`${path}&include=recipients`, { key })).json.pagination;
        const next = `${path}&cursor=${encodeURIComponent(next_cursor)}`;
        const previews = data(await app.get(`${next}&include=preview`, { key })).map(
          ({ preview }: { preview: string }) => preview,
        );
        assert.deepEqual(previews, shown);
        assert.equal((await app.get(next, { key })).status, 200);
      }
    });

    it('a preview is the beginning of the text on one line (MAIL-111)', async () => {
      const filling = '&zwnj;&nbsp;'.repeat(150);
      const html = `<style>p { color: red }</style><p>Sale${filling}</p><p>Half of <b>everything</b></p>`;
      assert.deepEqual(
        await previewsOf([
          message({ body: '\r\n\r\n  Dear\tBob,\r\n\r\n> quoted "text" \\ and \u{1f600}\r\n' }),
          message({ type: 'text/html; charset=utf-8', body: html }),
          message({ body: '' }),
          message({ body: 'x'.repeat(500) }),
          message({ body: `${'x'.repeat(199)}\u{1f600}y` }),
          message({ body: '\u0001'.repeat(5_000) }),
        ]),
        [
          'Dear Bob, > quoted "text" \\ and \u{1f600}',
          'Sale Half of everything',
          '',
          'x'.repeat(200),
          `${'x'.repeat(199)}\u{1f600}`,
          '\u0001'.repeat(200),
        ],
      );
    });

    it('texts of any length and many recipients are told alike (MAIL-111, MAIL-112)', async () => {
      const people = Array.from({ length: 900 }, (_, i) => `Person number ${i} <person${i}@x.test>`);
      const raws = [
        message({ to: people.join(', '), cc: people.slice(0, 21).join(', '), body: 'Hello' }),
        ...Array.from({ length: 4 }, (_, i) => message({ body: `Long ${i} ${'word '.repeat(60_000)}` })),
      ];
      const { listed } = await mailbox(raws);
      const [first, ...others] = await listed('&include=preview&include=recipients');
      assert.deepEqual([first.to, first.cc], [people.slice(0, 20), people.slice(0, 20)]);
      assert.equal(first.more_recipients, 881);
      assert.equal(first.preview, 'Hello');
      for (const [i, { preview, to }] of others.entries()) {
        assert.equal(preview, `Long ${i} ${'word '.repeat(60)}`.slice(0, 200).trimEnd());
        assert.deepEqual(to, []);
      }
    });

    it('an unknown part is refused (MAIL-111)', async () => {
      for (const include of ['html', '', 'Preview']) {
        const answer = await app.get(`/v1/messages?unread=true&include=${include}`);
        assert.deepEqual([answer.status, answer.json.error.code], [400, 'validation_failed']);
      }
    });
  });
});
