/** The search over everything: what is found, by whom, and in which order. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { extractText } from '../../src/formats/text-extraction/extraction.ts';
import { wordsOf } from '../../src/text/words.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey } from './accounts.ts';
import { createContact, firstBook } from './contacts-world.ts';
import { makeDocument, putContent } from './documents-world.ts';
import { makePerson, type Person, putFile, shareWith, theOwner } from './files-world.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';
import { hitsOf, indexed, titlesOf } from './search-world.ts';
import { makeSpreadsheet, write } from './spreadsheets-world.ts';

/** A machine that runs other tests beside this one is slower. */
const PATIENCE = 5;

forEachEngine((engine) => {
  describe('the search', () => {
    let app: TestApp;
    let owner: Person;
    let inbox: string;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
      inbox = await folderOf(app, 'inbox');
    });
    after(() => app.stop());

    const mail = (subject: string, body: string) => append(app, inbox, rfc822({ subject, body }));

    it('finds messages by subject, addresses, text and a beginning, whatever the case and the accents (SEARCH-11, SEARCH-13, SEARCH-14, SEARCH-16)', async () => {
      const { id } = await mail('Zugspitze Überfahrt', 'Wir treffen uns um acht am Bahnhof.');
      await indexed(app);
      for (const q of [
        'zugspitze',
        'ÜBERFAHRT',
        'uberfahrt',
        'bahn*',
        'from:lovelace zugspitze',
        'to:charles@example.org zugspitze',
        'subject:zugspitze',
        'body:bahnhof',
        '"treffen uns um"',
        'zugspitze -budapest',
      ])
        assert.deepEqual(
          (await hitsOf(app, q)).map((hit) => hit.id),
          [id],
          q,
        );
      for (const q of [
        'zugspitz',
        'zugspitze budapest',
        'cc:charles zugspitze',
        'body:zugspitze',
        '"uns treffen"',
        'zugspitze -bahnhof',
        'subject:bahnhof',
      ])
        assert.deepEqual(await hitsOf(app, q), [], q);
    });

    it('answers items with exactly seven members, a snippet and what it highlights (SEARCH-4)', async () => {
      const { id } = await mail(
        'Quittung Xylophon',
        `${'Bla '.repeat(200)} das Xylophon wird geliefert ${'bla '.repeat(200)}`,
      );
      await indexed(app);
      const [hit] = await hitsOf(app, 'xylophon geliefert');
      assert.deepEqual(Object.keys(hit), ['kind', 'id', 'title', 'snippet', 'highlights', 'at', 'record']);
      assert.equal(hit.kind, 'message');
      assert.equal(hit.title, 'Quittung Xylophon');
      const shown = hit.highlights.map(([start, length]: [number, number]) =>
        hit.snippet.slice(start, start + length),
      );
      assert.deepEqual(shown, ['Xylophon', 'geliefert']);
      assert.ok(hit.snippet.length < 200);
      const listed = data(await app.get(`/v1/messages?folder_id=${inbox}`)).find(
        (one: { id: string }) => one.id === id,
      );
      assert.deepEqual(hit.record, listed);
    });

    it('finds contacts, files, documents and spreadsheets beside messages, the newest first (SEARCH-1, SEARCH-5, SEARCH-13)', async () => {
      await mail('kurkuma in mail', 'x');
      await createContact(app, await firstBook(app), { name: 'Kurkuma Ltd', notes: 'spices' });
      await putFile(app, owner, {
        filename: 'kurkuma.txt',
        mimeType: 'text/plain',
        bytes: Buffer.from('yellow powder'),
      });
      const document = await makeDocument(app, owner, { title: 'Recipes with kurkuma' });
      const sheet = await makeSpreadsheet(app, 'Spices');
      await write(app, sheet, 'A1', [['kurkuma', 3]]);
      await indexed(app);
      const hits = await hitsOf(app, 'kurkuma');
      assert.deepEqual(hits.map(({ kind }) => kind).sort(), [
        'contact',
        'document',
        'file',
        'message',
        'spreadsheet',
      ]);
      const times = hits.map(({ at }) => at);
      assert.deepEqual(times, times.toSorted().reverse());
      assert.deepEqual(
        (await hitsOf(app, 'yellow')).map(({ kind }) => kind),
        ['file'],
      );
      assert.deepEqual(
        (await hitsOf(app, 'kurkuma kind:file')).map(({ kind }) => kind),
        ['file'],
      );
      assert.deepEqual(
        (await hitsOf(app, 'kurkuma', { query: '&kinds=document&kinds=contact' }))
          .map(({ kind }) => kind)
          .sort(),
        ['contact', 'document'],
      );
      assert.ok(document);
    });

    it('pages through everything once (SEARCH-1)', async () => {
      for (let i = 0; i < 7; i++) await mail(`pagination ${i}`, 'alike');
      await indexed(app);
      const titles: string[] = [];
      for (let cursor = ''; ; ) {
        const answer = await app.get(`/v1/search?q=pagination&limit=3${cursor && `&cursor=${cursor}`}`);
        titles.push(...data(answer).map(({ title }: { title: string }) => title));
        if (!answer.json.pagination.has_more) break;
        cursor = answer.json.pagination.next_cursor;
      }
      assert.deepEqual(
        titles,
        [6, 5, 4, 3, 2, 1, 0].map((i) => `pagination ${i}`),
      );
    });

    it('finds what is shared as long as it is shared, and nothing else of others (SEARCH-6)', async () => {
      const reader = await makePerson(app);
      const shared = await putFile(app, owner, { filename: 'ostrich shared.txt', mimeType: 'text/plain' });
      await putFile(app, owner, { filename: 'ostrich private.txt', mimeType: 'text/plain' });
      const { id: grant } = data(
        await app.post(`/v1/files/${shared.id ?? shared}/permissions`, {
          principal_type: 'user',
          principal_id: reader.id,
          role: 'viewer',
        }),
        201,
      );
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'ostrich', { key: reader.key }), ['ostrich shared.txt']);
      assert.equal((await app.delete(`/v1/files/${shared.id}/permissions/${grant}`)).status, 204);
      assert.deepEqual(await titlesOf(app, 'ostrich', { key: reader.key }), []);
    });

    it('finds trash and junk only where the query names them (SEARCH-7, SEARCH-19)', async () => {
      const { id } = await mail('flamingo', 'pink');
      await indexed(app);
      const trash = await folderOf(app, 'trash');
      await app.post(`/v1/folders/${inbox}/messages/move`, { message_ids: [id], to_folder_id: trash });
      assert.deepEqual(await titlesOf(app, 'flamingo'), []);
      assert.deepEqual(await titlesOf(app, 'flamingo in:trash'), ['flamingo']);
      assert.deepEqual(await titlesOf(app, 'flamingo in:inbox'), []);
    });

    it('takes what lies below the trash for trash, and what lies below junk for junk (SEARCH-7, SEARCH-19)', async () => {
      for (const role of ['trash', 'junk']) {
        const { id } = await mail(`heron ${role}`, 'grey');
        const above = data(await app.post('/v1/folders', { name: 'Old' }), 201);
        const within = data(await app.post('/v1/folders', { name: `Of ${role}`, parent_id: above.id }), 201);
        await app.post(`/v1/folders/${inbox}/messages/move`, { message_ids: [id], to_folder_id: within.id });
        await indexed(app);
        assert.deepEqual(await titlesOf(app, 'heron'), [`heron ${role}`]);
        data(await app.put(`/v1/folders/${above.id}`, { parent_id: await folderOf(app, role) }));
        assert.deepEqual(await titlesOf(app, 'heron'), []);
        for (const place of [role, `"of ${role}"`, within.id])
          assert.deepEqual(await titlesOf(app, `heron in:${place}`), [`heron ${role}`]);
        assert.deepEqual(await titlesOf(app, 'heron in:old'), []);
      }
    });

    it('knows states, labels, times and sizes (SEARCH-18, SEARCH-20, SEARCH-21)', async () => {
      const { id } = await mail('capybara', 'y'.repeat(3_000));
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'capybara is:unread'), ['capybara']);
      assert.deepEqual(await titlesOf(app, 'capybara is:starred'), []);
      data(
        await app.post(`/v1/folders/${inbox}/messages/flags`, {
          message_ids: [id],
          op: 'add',
          flags: ['read', 'starred'],
          labels: ['zoo'],
        }),
      );
      for (const [q, finds] of [
        ['is:unread', false],
        ['is:starred', true],
        ['label:zoo', true],
        ['larger:2K', true],
        ['larger:2M', false],
        ['smaller:2M', true],
        ['after:2020', true],
        ['before:2020-01-01', false],
        ['-label:zoo', false],
        ['label:zoo OR is:unread', true],
        ['in:inbox', true],
        ['has:attachment', false],
        ['-has:attachment', true],
      ] as const)
        assert.deepEqual(await titlesOf(app, `capybara ${q}`), finds ? ['capybara'] : [], q);
    });

    it('refuses what says nothing and what may not be read (SEARCH-1, SEARCH-2, SEARCH-3, SEARCH-24)', async () => {
      for (const q of ['-a', '"!?"', '...'])
        assert.equal(
          (await app.get(`/v1/search?q=${encodeURIComponent(q)}`)).json.error.code,
          'validation_failed',
          q,
        );
      assert.equal((await app.get('/v1/search')).status, 400);
      const { key } = await makeKey(app, ['contacts.read']);
      const refused = await app.get('/v1/search?q=a&kinds=message', { key });
      assert.equal(refused.status, 403);
      assert.equal(refused.json.error.details.missing_permission, 'mail.messages.read');
      assert.equal((await app.get('/v1/search?q=a', { key })).status, 200);
      assert.equal((await app.get('/v1/search?q=a', { key: null })).status, 401);
    });

    it('finds words of scripts without blanks, and emoji (SEARCH-10)', async () => {
      await mail('会议', '明天在北京开数据库会议');
      await mail('飲み会', '東京で打ち合わせをしましょう');
      await mail('thai', 'สวัสดีครับ ยินดีต้อนรับ');
      await mail('party', 'come 🎉 tonight');
      await mail('arabic', 'السلام عليكم يا مُحَمَّد');
      await indexed(app);
      for (const [q, title] of [
        ['数据库', '会议'],
        ['北京', '会议'],
        ['東京', '飲み会'],
        ['สวัสดี', 'thai'],
        ['🎉', 'party'],
        ['محمد', 'arabic'],
      ] as const)
        assert.deepEqual(await titlesOf(app, q), [title], q);
    });

    it('compares the first 64 characters of a word (SEARCH-12)', async () => {
      await mail('long', `${'w'.repeat(64)}xyz`);
      await indexed(app);
      assert.deepEqual(await titlesOf(app, `${'w'.repeat(64)}abc`), ['long']);
      assert.deepEqual(await titlesOf(app, 'w'.repeat(63)), []);
    });

    it('finds what was written within two seconds (SEARCH-8)', async () => {
      await mail('quickly', 'found');
      const written = performance.now();
      await eventually(async () => (await titlesOf(app, 'quickly')).length > 0, 'it is found');
      assert.ok(performance.now() - written < 2_000 * PATIENCE);
    });

    it('finds texts of cells with their permission only (SEARCH-2)', async () => {
      const sheet = await makeSpreadsheet(app, 'Ledger');
      await write(app, sheet, 'B2', [['tungsten carbide']]);
      await indexed(app);
      const { key } = await makeKey(app, ['docs.documents.read']);
      assert.deepEqual(await titlesOf(app, 'tungsten'), ['Ledger']);
      assert.deepEqual(await titlesOf(app, '"tungsten carbide"'), ['Ledger']);
      assert.deepEqual(await titlesOf(app, 'tungsten', { key }), []);
      const [hit] = await hitsOf(app, 'ledger', { key });
      assert.doesNotMatch(JSON.stringify(hit), /tungsten/);
    });

    it('finds a phrase within one text only (SEARCH-14, SEARCH-31)', async () => {
      await mail('northern lights', 'lights above, and a quiet sea');
      const part = (filename: string) =>
        `--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="${filename}"\r\n\r\nx\r\n`;
      const heads = 'From: ada@example.org\r\nSubject: parcels\r\nMIME-Version: 1.0\r\n';
      const parts = `${part('crimson kite')}${part('kite')}${part('kite tail')}--b--\r\n`;
      await append(app, inbox, `${heads}Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`);
      const sheet = await makeSpreadsheet(app, 'Winds');
      await write(app, sheet, 'A1', [['zephyr gust'], ['gale'], ['gust gale'], ['squall']]);
      await indexed(app);
      const phrases: [string, string[]][] = [
        ['northern lights', ['northern lights']],
        ['northern lights lights', []],
        ['lights lights above', []],
        ['lights above', ['northern lights']],
        ['crimson kite', ['parcels']],
        ['crimson kite kite', []],
        ['crimson kite tail', []],
        ['kite kite tail', []],
        ['zephyr gust', ['Winds']],
        ['zephyr gust gale', []],
        ['gust gale', ['Winds']],
        ['gale squ*', []],
        ['gust ga*', ['Winds']],
        ['gale gust gale', []],
      ];
      for (const [phrase, titles] of phrases)
        assert.deepEqual(await titlesOf(app, `"${phrase}"`), titles, phrase);
    });

    it('finds the text of a document and of a large file to its end (SEARCH-13, SEARCH-17)', async () => {
      const { id } = await makeDocument(app, owner, { title: 'Minutes' });
      assert.equal(
        (await putContent(app, owner, id, '# Minutes\n\nWe chose the *narwhal* as our emblem.')).status,
        200,
      );
      const lines = Array.from({ length: 200_000 }, (_, i) => `line number ${i.toString(36)} of many`);
      await putFile(app, owner, {
        filename: 'log.txt',
        mimeType: 'text/plain',
        bytes: Buffer.from(`${lines.join('\n')}\nlastly a wombat`),
      });
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'narwhal'), ['Minutes']);
      assert.deepEqual(await titlesOf(app, 'wombat'), ['log.txt']);
      assert.deepEqual(await titlesOf(app, 'wombat "line number" filename:log'), ['log.txt']);
      assert.deepEqual(await titlesOf(app, 'body:wombat -narwhal'), ['log.txt']);
      assert.deepEqual(await titlesOf(app, 'wombat narwhal'), []);
    });

    it('tells phrases and conditions apart in a text of millions of characters, to its end (SEARCH-13, SEARCH-14, SEARCH-15)', async () => {
      const line = 'an ordinary line of the journal\n';
      const file = (filename: string, end: string) =>
        putFile(app, owner, { filename, bytes: Buffer.from(`${line.repeat(32_000)}${end}`) });
      await file('first journal.txt', 'pangolin eats forty ants');
      await file('second journal.txt', 'pangolin eats ants, forty ants eats pangolin');
      await indexed(app);
      const both = ['second journal.txt', 'first journal.txt'];
      for (const [q, titles] of [
        ['"pangolin eats forty"', ['first journal.txt']],
        ['"pangolin eats forty" OR in:nowhere', ['first journal.txt']],
        ['pangolin -"pangolin eats forty"', ['second journal.txt']],
        ['pangolin -"eats forty ants" OR in:nowhere', ['second journal.txt']],
        ['"ordinary line of" pangolin', both],
        ['filename:journal pangolin OR in:nowhere', both],
        ['filename:journal -pangolin OR in:nowhere', []],
        ['pangolin "the pangolin eats forty"', []],
      ] as const)
        assert.deepEqual(await titlesOf(app, q), titles, q);
      const pages: string[] = [];
      for (let cursor = ''; ; ) {
        const answer = await app.get(
          `/v1/search?q=${encodeURIComponent('pangolin -"no such phrase"')}&limit=1${cursor && `&cursor=${cursor}`}`,
        );
        pages.push(...data(answer).map(({ title }: { title: string }) => title));
        if (!answer.json.pagination.has_more) break;
        cursor = answer.json.pagination.next_cursor;
      }
      assert.deepEqual(pages, both);
    });

    it('finds a file by the name under which it was uploaded, also by a phrase of it (SEARCH-13, SEARCH-14)', async () => {
      const { id } = await putFile(app, owner, { filename: 'minutes about okapi keeping.txt' });
      data(await app.put(`/v1/files/${id}`, { title: 'Zoological' }));
      await indexed(app);
      for (const q of [
        'okapi',
        'filename:"about okapi keeping"',
        '"minutes about okapi keeping"',
        'filename:okapi OR in:nowhere zoological',
      ])
        assert.deepEqual(await titlesOf(app, q), ['Zoological'], q);
      assert.deepEqual(await titlesOf(app, 'zoological -"about okapi keeping"'), []);
    });

    it('a suspended user does not search, and nobody finds what only that user sees (SEARCH-1, SEARCH-6)', async () => {
      const away = await makePerson(app);
      const reader = await makePerson(app);
      const theirs = await folderOf(app, 'inbox', away.key);
      await append(app, theirs, rfc822({ subject: 'Tapir letter' }), { key: away.key });
      const asAway = { key: away.key };
      await createContact(app, await firstBook(app, asAway), { name: 'Tapir' }, asAway);
      await putFile(app, away, { filename: 'tapir secret.txt' });
      const shared = await putFile(app, away, { filename: 'tapir shared.txt' });
      await shareWith(app, away, shared.id, reader.id, 'viewer');
      await indexed(app);
      const own = ['tapir shared.txt', 'tapir secret.txt', 'Tapir', 'Tapir letter'];
      assert.deepEqual(await titlesOf(app, 'tapir', { key: away.key }), own);

      data(await app.put(`/v1/users/${away.id}`, { state: 'suspended' }));
      const refused = await app.get('/v1/search?q=tapir', { key: away.key });
      assert.equal(refused.status, 401);
      assert.equal(refused.json.error.code, 'invalid_api_key');
      assert.deepEqual(await titlesOf(app, 'tapir'), []);
      assert.deepEqual(await titlesOf(app, `tapir OR owner:${away.id}`), []);
      // What was shared stays shared: the list and the search say the same.
      assert.deepEqual(await titlesOf(app, 'tapir', { key: reader.key }), ['tapir shared.txt']);
      const { id } = await putFile(app, owner, { filename: 'tapir news.txt' });
      await shareWith(app, owner, id, away.id, 'viewer');
      await indexed(app);

      data(await app.put(`/v1/users/${away.id}`, { state: 'active' }));
      assert.deepEqual(await titlesOf(app, 'tapir', { key: away.key }), ['tapir news.txt', ...own]);
    });

    it('finds the text of PDF, Word, Excel and PowerPoint files (SEARCH-13)', async () => {
      const names = {
        'filetype__fixture-minimal.pdf': 'application/pdf',
        'filetype__fixture-office365.docx':
          'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        'filetype__fixture.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
        'filetype__fixture-office365.xlsx':
          'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      };
      for (const [filename, mimeType] of Object.entries(names)) {
        const bytes = await readFile(new URL(`../fixtures/documents/${filename}`, import.meta.url));
        const { id } = await putFile(app, owner, { filename, mimeType, bytes });
        await indexed(app);
        const extracted = await extractText(() => Readable.from([bytes]), mimeType, bytes.length);
        assert.ok(extracted && 'texts' in extracted);
        const [word] = wordsOf(extracted.texts.join(' '));
        const hits = await hitsOf(app, `body:${word?.word} kind:file`);
        assert.ok(
          hits.some((hit) => hit.id === id),
          filename,
        );
      }
    });

    it('knows owners, kinds and folders, and leaves out kinds that an operator cannot hold for (SEARCH-19, SEARCH-22, SEARCH-23)', async () => {
      const other = await makePerson(app);
      const { id } = await putFile(app, other, { filename: 'quokka.txt', mimeType: 'text/plain' });
      await shareWith(app, other, id, owner.id, 'viewer');
      await mail('quokka', 'a smiling animal');
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'quokka owner:me'), []);
      for (const q of [
        `quokka owner:${other.id}`,
        'quokka kind:file',
        'quokka -kind:message',

        'quokka kind:file OR kind:contact',
      ])
        assert.deepEqual(await titlesOf(app, q), ['quokka.txt'], q);
      for (const q of ['quokka in:inbox', 'quokka is:unread', 'quokka from:ada', 'quokka larger:10'])
        assert.deepEqual(await titlesOf(app, q), ['quokka'], q);
      assert.deepEqual(await titlesOf(app, 'quokka colour:red'), []);
      assert.deepEqual(await titlesOf(app, 'quokka before:yesterday'), []);
    });

    it('finds members of a group what is shared with it, until it is revoked', async () => {
      const member = await makePerson(app);
      const group = data(await app.post('/v1/groups', { name: 'Readers', member_ids: [member.id] }), 201).id;
      const { id } = await putFile(app, owner, { filename: 'axolotl.txt', mimeType: 'text/plain' });
      await shareWith(app, owner, id, group, 'viewer');
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'axolotl', { key: member.key }), ['axolotl.txt']);
      assert.deepEqual(await titlesOf(app, 'axolotl'), ['axolotl.txt']);
      data(await app.put(`/v1/groups/${group}`, { member_ids: [] }));
      assert.deepEqual(await titlesOf(app, 'axolotl', { key: member.key }), []);
    });
  });
});
