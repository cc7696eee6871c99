/** Sending within the server: what is composed, who gets it, what it refuses. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { parseMessage } from '../../src/formats/messages/parse.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { storedState } from '../refusals/world.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data, freshAddress, makeKey, makeUser, makeWorkspace, problems } from './accounts.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

runWorksTwice();

interface Person {
  address: string;
  id: string;
  key: string;
}

forEachEngine((engine) => {
  describe('sending here', () => {
    let app: TestApp;
    let ada: Person;
    let bob: Person;
    before(async () => {
      app = await startApp(engine, {
        ATRIUM_DOMAIN: 'home.example',
        ATRIUM_OWNER_EMAIL: 'root@home.example',
      });
      ada = await person('Ada Lovelace');
      bob = await person('Bob');
    });
    after(() => app.stop());

    async function person(name: string, fields: Record<string, unknown> = {}): Promise<Person> {
      const { id, email } = await makeUser(app, { name, ...fields });
      const permissions = [
        'mail.messages.send',
        'mail.messages.read',
        'mail.messages.write',
        'files.read',
      ] as const;
      return { id, address: email, key: (await makeKey(app, permissions, { user_id: id })).key };
    }

    const send = (body: object, key = ada.key) => app.post('/v1/messages', body, { key });

    async function inFolder(role: string, key: string) {
      const folder = await folderOf(app, role, key);
      return data(await app.get(`/v1/messages?folder_id=${folder}&limit=200`, { key }));
    }

    const full = async (id: string, key: string) => data(await app.get(`/v1/messages/${id}`, { key }));
    const raw = async (id: string, key: string) => (await app.get(`/v1/messages/${id}/raw`, { key })).text;

    /** Sends to a new user; answers the copy in Sent, the one that arrived, and how it arrived. */
    async function exchanged(body: object) {
      const to = await person('Somebody');
      const sent = data(await send({ to: [to.address], ...body }), 201);
      const [arrived] = await inFolder('inbox', to.key);
      return {
        to,
        sent: await full(sent.id, ada.key),
        arrived: await full(arrived.id, to.key),
        raw: await raw(arrived.id, to.key),
      };
    }

    it('sending keeps a copy in Sent and delivers at once (MAIL-68)', async () => {
      const { to, sent, arrived, raw: bytes } = await exchanged({ subject: 'Engine', text: 'Hello\nWorld' });
      assert.equal(sent.folder_id, await folderOf(app, 'sent', ada.key));
      assert.equal(sent.flags.read, true);
      assert.equal(arrived.flags.read, false);
      assert.equal(sent.from, `Ada Lovelace <${ada.address}>`);
      assert.deepEqual(arrived.to, [to.address]);
      assert.equal(arrived.subject, 'Engine');
      assert.equal(arrived.text, 'Hello\nWorld');
      assert.match(sent.message_id, /^<out_[0-9a-z]{26}@home\.example>$/);
      assert.equal(arrived.message_id, sent.message_id);
      assert.equal(await raw(sent.id, ada.key), bytes);
      for (const header of [/^Date: /m, /^MIME-Version: 1\.0\r$/m, /^From: Ada Lovelace </m])
        assert.match(bytes, header);
      assert.ok(sent.thread_id && arrived.thread_id);
    });

    it('counts the copy and what arrives', async () => {
      const to = await person('Counted');
      data(await send({ to: [to.address] }), 201);
      const folders = data(await app.get('/v1/folders', { key: to.key }));
      const inbox = folders.find(({ role }: { role: string }) => role === 'inbox');
      assert.deepEqual([inbox.message_count, inbox.unread_count], [1, 1]);
    });

    it('sending delivers once to each mailbox, whichever of its addresses are named how often (MAIL-73, SMTP-6)', async () => {
      const [alias, other] = [freshAddress(), freshAddress()];
      const to = await person('Many', { aliases: [alias, other] });
      const body = { to: [to.address, `Again <${to.address.toUpperCase()}>`], cc: [alias], bcc: [other] };
      data(await send(body), 201);
      assert.equal((await inFolder('inbox', to.key)).length, 1);
    });

    it('sending reaches oneself, and users of other workspaces of the server (API-118, MAIL-73)', async () => {
      const { ownerId, key } = await makeWorkspace(app);
      const { email } = data(await app.get(`/v1/users/${ownerId}`, { key }));
      const before = (await inFolder('inbox', ada.key)).length;
      data(await send({ to: [email, ada.address] }), 201);
      assert.equal((await inFolder('inbox', key)).length, 1);
      assert.equal((await inFolder('inbox', ada.key)).length, before + 1);
    });

    it('sending shows blind copies to the sender alone (MAIL-70)', async () => {
      const [hidden, open] = [await person('Hidden'), await person('Open')];
      const sent = data(
        await send({ to: [open.address], bcc: [`The Hidden <${hidden.address}>`], text: 'psst' }),
        201,
      );
      assert.deepEqual((await full(sent.id, ada.key)).bcc, [`The Hidden <${hidden.address}>`]);
      for (const { key } of [hidden, open]) {
        const [{ id }] = await inFolder('inbox', key);
        assert.deepEqual((await full(id, key)).bcc, []);
        const bytes = await raw(id, key);
        assert.ok(!bytes.includes(hidden.address) && !/bcc/i.test(bytes));
      }
      assert.ok(!(await raw(sent.id, ada.key)).includes(hidden.address));
    });

    it('sending needs no more than a blind copy (MAIL-69)', async () => {
      const hidden = await person('Only');
      data(await send({ to: [], bcc: [hidden.address] }), 201);
      assert.equal((await inFolder('inbox', hidden.key)).length, 1);
    });

    it('sending takes text, HTML, both or neither (MAIL-68)', async () => {
      const text = (await exchanged({ text: 'plain' })).arrived;
      assert.deepEqual([text.text, text.html], ['plain', '']);
      const html = await exchanged({ html: '<p>rich</p>' });
      assert.match(html.raw, /^Content-Type: text\/html/m);
      assert.deepEqual([html.arrived.text.trim(), html.arrived.html], ['rich', '<p>rich</p>']);
      const both = await exchanged({ text: 'plain', html: '<p>rich</p>' });
      assert.match(both.raw, /^Content-Type: multipart\/alternative/m);
      assert.deepEqual([both.arrived.text.trim(), both.arrived.html.trim()], ['plain', '<p>rich</p>']);
      const neither = (await exchanged({})).arrived;
      assert.deepEqual([neither.text.trim(), neither.html, neither.attachments], ['', '', []]);
    });

    it('carries every script in names, subjects and texts', async () => {
      const to = await person('Zoë');
      const name = '渡辺 "Ω", José';
      const sent = data(
        await send({ to: [`${name} <${to.address}>`], subject: 'Größe 😀 — ひらがな', text: 'ß\nЖ' }),
        201,
      );
      const [{ id }] = await inFolder('inbox', to.key);
      const arrived = await full(id, to.key);
      assert.equal(sent.subject, 'Größe 😀 — ひらがな');
      assert.deepEqual(
        [arrived.subject, arrived.to, arrived.text],
        [sent.subject, [`"渡辺 \\"Ω\\", José" <${to.address}>`], 'ß\nЖ'],
      );
      assert.match(await raw(id, to.key), /^[\x20-\x7e\r\n]*$/);
    });

    it('takes addresses of every script, and domains in either form', async () => {
      const to = await person('Ünï', { email: 'ünï@bücher.example' });
      data(await send({ to: ['ünï@xn--bcher-kva.example', 'Ünï <ünï@bücher.example>'] }), 201);
      const [{ id }] = await inFolder('inbox', to.key);
      assert.deepEqual((await full(id, to.key)).to, ['ünï@bücher.example', 'Ünï <ünï@bücher.example>']);
    });

    it('sending reads quoted names (MAIL-69)', async () => {
      const to = await person('Doe');
      data(await send({ to: [`"Doe, \\"J\\" John" <${to.address}>`] }), 201);
      const [{ id }] = await inFolder('inbox', to.key);
      assert.deepEqual((await full(id, to.key)).to, [`"Doe, \\"J\\" John" <${to.address}>`]);
      const bracketed = `"Doe <doe@old.example>, John" <${to.address}>`;
      const sent = data(await send({ to: [bracketed] }), 201);
      assert.deepEqual((await full(sent.id, ada.key)).to, [bracketed]);
    });

    it('sends what is too large for the database', async () => {
      const text = 'many words '.repeat(40_000);
      const { arrived, raw: bytes } = await exchanged({ text });
      assert.ok(arrived.text === text);
      assert.equal(arrived.size, bytes.length);
      const pending = await app.services.database.read((tx) =>
        tx.selectFrom('pending_blobs').selectAll().execute(),
      );
      assert.deepEqual(pending, []);
    });

    it('sends once for its Idempotency-Key, also when the same arrives twice at once', async () => {
      const to = await person('Once');
      const body = { to: [to.address], text: 'once'.repeat(50_000) };
      const options = { key: ada.key, idempotencyKey: randomUUID() };
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => app.post('/v1/messages', body, options)),
      );
      answers.push(await app.post('/v1/messages', body, options));
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal(answers.filter(({ headers }) => !headers.has('idempotency-replayed')).length, 1);
      assert.equal((await inFolder('inbox', to.key)).length, 1);
    });

    it('keeps a refusal of its own for the Idempotency-Key', async () => {
      const options = { key: ada.key, idempotencyKey: randomUUID() };
      for (const body of [{ to: [ada.address], file_ids: ['file_1'] }]) {
        const [first, second] = [
          await app.post('/v1/messages', body, options),
          await app.post('/v1/messages', body, options),
        ];
        assert.deepEqual([first.status, second.status, second.text], [404, 404, first.text]);
        assert.equal(second.headers.get('idempotency-replayed'), 'true');
      }
    });

    it('sends many at once to each other', async () => {
      const people = await Promise.all(Array.from({ length: 5 }, (_, i) => person(`P${i}`)));
      const addressOf = (i: number) => people[i % people.length]?.address;
      await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const to = [addressOf(i + 1), addressOf(i + 2 + (i % 3))];
          data(await send({ to, subject: `${i}` }, people[i % people.length]?.key), 201);
        }),
      );
      const arrived = [];
      for (const { key } of people) arrived.push(...(await inFolder('inbox', key)));
      const subjects = arrived.map(({ subject }: { subject: string }) => subject);
      assert.deepEqual([subjects.length, new Set(subjects).size], [100, 50]);
    });

    describe('replies', () => {
      const replyTo = async (original: string) => {
        const message = await append(app, await folderOf(app, 'inbox', ada.key), original, {
          key: ada.key,
          query: '?label=todo',
        });
        const sent = data(await send({ to: [bob.address], reply_to_message_id: message.id }), 201);
        return { message, sent: await full(sent.id, ada.key) };
      };

      it('replies name what they answer, join its thread and mark it (MAIL-13, MAIL-71)', async () => {
        const [first, second, original] = [1, 2, 3].map(() => `<${randomUUID()}@x.example>`) as [
          string,
          string,
          string,
        ];
        const before = await counts();
        const { message, sent } = await replyTo(
          rfc822({ subject: 'Plan', messageId: original, references: [first, second] }),
        );
        assert.equal(sent.in_reply_to, original);
        assert.deepEqual(sent.references, [first, second, original]);
        assert.equal(sent.subject, 'Re: Plan');
        assert.equal(sent.thread_id, message.thread_id);
        const answered = await full(message.id, ada.key);
        assert.deepEqual([answered.flags.answered, answered.flags.read], [true, false]);
        const listed = data(await app.get('/v1/messages?flag=answered&label=todo', { key: ada.key }));
        assert.ok(listed.some(({ id }: { id: string }) => id === message.id));
        const after = await counts();
        assert.deepEqual([after.inbox - before.inbox, after.unread - before.unread], [1, 1]);
        const [arrived] = await inFolder('inbox', bob.key);
        assert.equal((await full(arrived.id, bob.key)).in_reply_to, original);
      });

      async function counts() {
        const folders = data(await app.get('/v1/folders', { key: ada.key }));
        const inbox = folders.find(({ role }: { role: string }) => role === 'inbox');
        return { inbox: inbox.message_count, unread: inbox.unread_count };
      }

      it('replies take In-Reply-To where there are no References (MAIL-71)', async () => {
        const { sent } = await replyTo(rfc822({ messageId: '<b@x.example>', inReplyTo: '<a@x.example>' }));
        assert.deepEqual(sent.references, ['<a@x.example>', '<b@x.example>']);
      });

      it('join the thread of a message without an id', async () => {
        const { message, sent } = await replyTo(rfc822({ subject: 'Re: No id' }));
        assert.deepEqual([sent.in_reply_to, sent.references, sent.subject], ['', [], 'Re: No id']);
        assert.equal(sent.thread_id, message.thread_id);
      });

      it('replies keep the subject that is given, also an empty one (MAIL-71)', async () => {
        const message = await append(app, await folderOf(app, 'inbox', ada.key), rfc822(), { key: ada.key });
        for (const subject of ['', 'Other']) {
          const sent = data(await send({ to: [bob.address], subject, reply_to_message_id: message.id }), 201);
          assert.equal(sent.subject, subject);
        }
      });

      it('name the last of very many references', async () => {
        const references = Array.from({ length: 300 }, (_, i) => `<${i}.${randomUUID()}@x.example>`);
        const { sent } = await replyTo(rfc822({ messageId: '<last@x.example>', references }));
        assert.deepEqual(sent.references, [references[0], ...references.slice(-98), '<last@x.example>']);
      });

      it("replies cannot answer what is not there, or what is another user's (MAIL-71)", async () => {
        const theirs = await append(app, await folderOf(app, 'inbox', bob.key), rfc822(), { key: bob.key });
        for (const id of [theirs.id, 'msg_01h2xcejqtf2nbrexx3vqjhp41', 'x', '']) {
          const answer = await send({ to: [bob.address], reply_to_message_id: id });
          assert.deepEqual(
            [answer.status, answer.json.error.code, answer.json.error.details],
            [404, 'not_found', { resource: 'message', id }],
          );
        }
        assert.equal((await full(theirs.id, bob.key)).flags.answered, false);
      });
    });

    it('a reply needs a key that may read the message (MAIL-71)', async () => {
      const inbox = await folderOf(app, 'inbox', ada.key);
      const message = await append(app, inbox, rfc822({ subject: 'Top secret' }), { key: ada.key });
      const blind = (await makeKey(app, ['mail.messages.send'], { user_id: ada.id })).key;
      const before = await storedState(app.services.database);
      // What is missing goes before whatever else is wrong, and says nothing of whether there is such a message.
      for (const reply_to_message_id of [message.id, 'msg_01h2xcejqtf2nbrexx3vqjhp41', 'x', '']) {
        for (const to of [[bob.address], []]) {
          const { status, json } = await send({ to, reply_to_message_id }, blind);
          assert.deepEqual([status, json.error.code], [403, 'insufficient_scope']);
          assert.deepEqual(json.error.details, { missing_permission: 'mail.messages.read' });
        }
      }
      assert.equal(await storedState(app.services.database), before);
      data(await send({ to: [bob.address], subject: 'No reply' }, blind), 201);
    });

    describe('refuses, and changes nothing:', () => {
      const refused: [name: string, body: () => object, status: number, code: string, details?: object][] = [
        // MAIL-69
        ['no recipients', () => ({ to: [] }), 400, 'validation_failed', problems(['/to', 'too_few'])],
        ['no to', () => ({ cc: [ada.address] }), 400, 'validation_failed', problems(['/to', 'required'])],
        [
          // MAIL-69
          'every broken address at once',
          () => ({ to: ['x', ada.address, 'A <b@c> d'], cc: ['a@b@c'], bcc: ['a b@c.example', 'a@..b'] }),
          400,
          'validation_failed',
          problems(
            ['/to/0', 'wrong_format'],
            ['/to/2', 'wrong_format'],
            ['/cc/0', 'wrong_format'],
            ['/bcc/0', 'wrong_format'],
            ['/bcc/1', 'wrong_format'],
          ),
        ],
        [
          'two addresses in one',
          () => ({ to: ['a@b.example, c@d.example', `Ada <${ada.address}>, Bob <${bob.address}>`] }),
          400,
          'validation_failed',
          problems(['/to/0', 'wrong_format'], ['/to/1', 'wrong_format']),
        ],
        [
          'a domain that cannot exist',
          () => ({ to: [ada.address, 'X <a@-x-.example>'] }),
          400,
          'validation_failed',
          problems(['/to/1', 'wrong_format']),
        ],
        [
          // MAIL-69
          'too many recipients',
          () => ({ to: Array(600).fill(ada.address), cc: Array(401).fill(ada.address) }),
          400,
          'validation_failed',
          problems(['/to', 'too_many']),
        ],
        [
          'too long a subject',
          () => ({ to: [ada.address], subject: 'x'.repeat(999) }),
          400,
          'validation_failed',
          problems(['/subject', 'too_long']),
        ],
        [
          // MAIL-72
          'a file that is not there',
          () => ({ to: [ada.address], file_ids: ['file_01h2xcejqtf2nbrexx3vqjhp41'] }),
          404,
          'not_found',
          { resource: 'file', id: 'file_01h2xcejqtf2nbrexx3vqjhp41' },
        ],
        // MAIL-72
        [
          'more than 100 files',
          () => ({ to: [ada.address], file_ids: Array.from({ length: 101 }, (_, i) => `file_${i}`) }),
          400,
          'validation_failed',
          problems(['/file_ids', 'too_many']),
        ],
        [
          'the same file twice',
          () => ({ to: [ada.address], file_ids: ['a', 'a'] }),
          400,
          'validation_failed',
          problems(['/file_ids', 'duplicate']),
        ],
        [
          // MAIL-76
          'unknown people of the own domain',
          () => ({ to: [ada.address, 'no@HOME.example'], cc: ['N <one@home.example>'] }),
          422,
          'unknown_recipient',
          { recipients: ['no@HOME.example', 'one@home.example'] },
        ],
        [
          // MAIL-75
          'people elsewhere, without a relay',
          () => ({ to: [ada.address], bcc: ['far@away.example'] }),
          422,
          'no_relay',
          { recipients: ['far@away.example'] },
        ],
      ];
      for (const [name, body, status, code, details] of refused) {
        it(`a message with ${name} is refused with ${code}`, async () => {
          const before = await storedState(app.services.database);
          const answer = await send(body());
          assert.equal(answer.status, status, answer.text);
          assert.equal(answer.json.error.code, code);
          assert.partialDeepStrictEqual(answer.json.error.details, details ?? {});
          assert.equal(await storedState(app.services.database), before);
        });
      }

      it('a message to suspended users, wherever their domain (MAIL-76)', async () => {
        const gone = await person('Gone');
        data(await app.put(`/v1/users/${gone.id}`, { state: 'suspended' }));
        const answer = await send({ to: [gone.address] });
        assert.equal(answer.json.error.code, 'unknown_recipient');
      });

      it('control characters in every field of a header', async () => {
        for (const end of ['\r\n', '\n', '\r', '\u0085', '\u0000', '\u000b']) {
          const bad = `x${end}Bcc: evil@home.example`;
          for (const body of [
            { to: [ada.address], subject: bad },
            { to: [`${bad} <${ada.address}>`] },
            { to: [ada.address], cc: [`${ada.address}${end}`] },
            { to: [ada.address], bcc: [`<a${end}b@home.example>`] },
          ]) {
            const answer = await send(body);
            assert.equal(answer.status, 400, JSON.stringify(body));
            assert.equal(answer.json.error.code, 'validation_failed');
          }
        }
      });
    });

    it('lets no text become a header or a part', async () => {
      const nasty = [
        '\r\n.\r\nMAIL FROM:<x@y>\r\n',
        '\n\nBcc: a@b',
        '--b\r\nContent-Type: x',
        '\r.\r',
        '\t\u2028',
      ];
      const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...nasty)).map(storable);
      const name = line.map((text) => text.replace(/\p{Cc}/gu, ''));
      await fc.assert(
        fc.asyncProperty(line, line, name, name, async (text, html, subject, display) => {
          const to = `${display} <${bob.address}>`;
          const answer = await send({ to: [to], subject: subject.slice(0, 900), text, html });
          assert.equal(answer.status, 201, answer.text);
          const bytes = await raw(answer.json.data.id, ada.key);
          assert.ok(!/\r(?!\n)|(?<!\r)\n/.test(bytes), 'a line ends by halves');
          const parsed = await parseMessage(Buffer.from(bytes));
          const names = parsed.headers.map((header) => header.name);
          assert.deepEqual([...new Set(names)], names);
          assert.ok(
            names.every((header) => HEADERS.has(header)),
            names.join(),
          );
          assert.deepEqual(parsed.attachments, []);
          assert.deepEqual(
            parsed.to.map(({ address }) => address),
            [bob.address],
          );
        }),
        { numRuns: engine === 'sqlite' ? 60 : 10 },
      );
    });
  });
});

const HEADERS = new Set([
  ...['from', 'to', 'subject', 'date', 'message-id', 'mime-version'],
  ...['content-type', 'content-transfer-encoding'],
]);

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
