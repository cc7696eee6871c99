/** What the change feed tells of files, file folders, documents and spreadsheets, and whom. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { makeDocument, putContent } from './documents-world.ts';
import { makeFolder, makePerson, type Person, putFile, shareWith, theOwner } from './files-world.ts';
import { makeSpreadsheet, put, restructure, stateOf } from './spreadsheets-world.ts';
import { complete, putPart, start } from './uploads-world.ts';

/** The type of a change and its ids. */
type Told = [type: string, ids: Record<string, unknown>];

interface Change {
  type: string;
  ids: Record<string, unknown>;
  actor: { user_id: string; key_id: string } | null;
}

const TYPES = ['file', 'file_folder', 'document', 'spreadsheet'].map((kind) => `types=${kind}.*`).join('&');

forEachEngine((engine) => {
  describe('changes of the drive', () => {
    let app: TestApp;
    let owner: Person;
    let reader: Person;
    let member: Person;
    let stranger: Person;
    let group: string;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
      [reader, member, stranger] = [await makePerson(app), await makePerson(app), await makePerson(app)];
      group = data(await app.post('/v1/groups', { name: 'G', member_ids: [member.id, owner.id] }), 201).id;
    });
    after(() => app.stop());

    /** What somebody sees behind a cursor, up to a folder that is made to mark the end, and the cursor behind that. */
    const changesUpToNow = async (person: Person, from: string) => {
      const { id } = await makeFolder(app, person, 'marker');
      const changes: Change[] = [];
      for (let cursor = from; ; ) {
        const path = `/v1/changes?cursor=${cursor}&wait=5&${TYPES}`;
        const page = data(await app.get(path, { key: person.key }));
        cursor = page.cursor;
        for (const change of page.changes) {
          if (change.ids.folder_id === id) return { changes, cursor };
          changes.push(change);
        }
      }
    };
    const changesBehind = async (person: Person, from: string) =>
      (await changesUpToNow(person, from)).changes;

    /** While older transactions run, PostgreSQL shows behind the cursor of now what has been written shortly before it. */
    const cursorOf = async (person: Person): Promise<string> => {
      const { cursor } = data(await app.get('/v1/changes', { key: person.key }));
      return (await changesUpToNow(person, cursor)).cursor;
    };

    /** What each of these persons sees of what `act` does, in their order. */
    const seenBy = async (people: Person[], act: () => Promise<unknown>): Promise<Told[][]> => {
      const cursors = await Promise.all(people.map(cursorOf));
      await act();
      const all: Told[][] = [];
      for (const [i, person] of people.entries())
        all.push((await changesBehind(person, cursors[i] ?? '')).map(({ type, ids }): Told => [type, ids]));
      return all;
    };

    const everybody = () => [owner, reader, member, stranger];

    /** A node of the owner that is shared with the reader and with the group of the member. */
    const shared = async (id: string): Promise<string> => {
      await shareWith(app, owner, id, reader.id, 'editor');
      await shareWith(app, owner, id, group, 'viewer');
      return id;
    };

    test('a file is created for its owner, by one request and by an upload in parts (CHANGE-30)', async () => {
      const ids: string[] = [];
      const upload = { key: OWNER_KEY, headers: { 'content-type': 'text/plain' } };
      const [own, others] = await seenBy([owner, stranger], async () => {
        ids.push(data(await app.post('/v1/files?filename=a.txt', 'text', upload), 201).id);
        const session = (await start(app, 4)).session_id;
        data(await putPart(app, session, 1, Buffer.from('text')));
        ids.push(data(await complete(app, session), 201).id);
      });
      assert.deepEqual(
        own,
        ids.map((file_id) => ['file.created', { file_id }]),
      );
      assert.deepEqual(others, []);
    });

    test('a document, a spreadsheet and a folder are created once each, by their kinds (CHANGE-30)', async () => {
      const ids: string[] = [];
      const [own] = await seenBy([owner], async () => {
        ids.push((await makeDocument(app, owner)).id, await makeSpreadsheet(app));
        ids.push((await makeFolder(app, owner, 'Reports')).id);
      });
      assert.deepEqual(own, [
        ['document.created', { document_id: ids[0] }],
        ['spreadsheet.created', { spreadsheet_id: ids[1] }],
        ['file_folder.created', { folder_id: ids[2] }],
      ]);
    });

    test('a new title is seen by all who reach the file, through a group too, and by nobody else (CHANGE-30, CHANGE-31)', async () => {
      const id = await shared((await putFile(app, owner)).id);
      const rename = () => app.put(`/v1/files/${id}`, { title: 'Renamed' }, { key: reader.key });
      const told: Told[] = [['file.changed', { file_id: id }]];
      assert.deepEqual(await seenBy(everybody(), rename), [told, told, told, []]);
      assert.deepEqual(await seenBy(everybody(), rename), [[], [], [], []]);
    });

    test('whoever writes is the actor, also in the feeds of others (CHANGE-2)', async () => {
      const id = await shared((await putFile(app, owner)).id);
      const from = await cursorOf(owner);
      await app.put(`/v1/files/${id}`, { title: 'Renamed' }, { key: reader.key });
      const [change] = await changesBehind(owner, from);
      assert.equal(change?.actor?.user_id, reader.id);
    });

    test('a suspended user reaches what is shared, and finds the changes later (CHANGE-38)', async () => {
      const away = await makePerson(app);
      const { id } = await putFile(app, owner);
      await shareWith(app, owner, id, away.id, 'viewer');
      const [seen] = await seenBy([away], async () => {
        await app.put(`/v1/users/${away.id}`, { state: 'suspended' });
        data(await app.put(`/v1/files/${id}`, { title: 'Renamed' }));
        await app.put(`/v1/users/${away.id}`, { state: 'active' });
      });
      assert.deepEqual(seen, [['file.changed', { file_id: id }]]);
    });

    test('a file that is trashed and restored is told once each (CHANGE-32)', async () => {
      const id = await shared((await putFile(app, owner)).id);
      const told: Told[] = [
        ['file.trashed', { file_id: id }],
        ['file.restored', { file_id: id }],
      ];
      const act = async () => {
        for (let i = 0; i < 2; i++) assert.equal((await app.delete(`/v1/files/${id}`)).status, 204);
        for (let i = 0; i < 2; i++) data(await app.post(`/v1/files/${id}/restore`));
      };
      assert.deepEqual(await seenBy(everybody(), act), [told, told, told, []]);
    });

    test('a refused write emits nothing (CHANGE-1)', async () => {
      const id = await shared((await putFile(app, owner)).id);
      const act = async () => {
        const { key } = member;
        assert.equal((await app.put(`/v1/files/${id}`, { title: 'No' }, { key })).status, 403);
        assert.equal((await app.put(`/v1/files/${id}`, { folder_id: 'dir_none' })).status, 404);
        assert.equal((await app.delete(`/v1/files/${id}`, { key: stranger.key })).status, 404);
      };
      assert.deepEqual(await seenBy(everybody(), act), [[], [], [], []]);
    });

    test('a folder that is not shared is told to its owner alone, and what is shared below it to those who read it (CHANGE-33)', async () => {
      const folder = (await makeFolder(app, owner, 'Outer')).id;
      const inner = (await makeFolder(app, owner, 'Inner', folder)).id;
      const files: string[] = [];
      for (const folderId of [folder, inner])
        files.push(await shared((await putFile(app, owner, { folderId })).id));
      await putFile(app, owner, { folderId: inner });
      const gone = await shared((await putFile(app, owner, { folderId: inner })).id);
      await app.delete(`/v1/files/${gone}`);
      const document = (await makeDocument(app, owner, { folder_id: inner })).id;
      await shareWith(app, owner, document, reader.id, 'viewer');
      for (const [ask, event] of [
        [() => app.delete(`/v1/file-folders/${folder}`), 'trashed'],
        [() => app.post(`/v1/file-folders/${folder}/restore`), 'restored'],
      ] as const) {
        const [own = [], readers = [], members = [], others] = await seenBy(everybody(), ask);
        assert.deepEqual(own, [[`file_folder.${event}`, { folder_id: folder }]]);
        for (const told of [...readers, ...members]) (told[1].file_ids as string[] | undefined)?.sort();
        const ofFiles: Told = [`file.${event}`, { file_ids: files.toSorted() }];
        assert.deepEqual(readers.toSorted(), [[`document.${event}`, { document_ids: [document] }], ofFiles]);
        assert.deepEqual(members, [ofFiles]);
        assert.deepEqual(others, []);
      }
    });

    test('a shared folder and what happens in it are told to those who reach it; moves tell who gains and loses (CHANGE-39)', async () => {
      const top = (await makeFolder(app, owner, 'Top')).id;
      const inner = (await makeFolder(app, owner, 'Inner', top)).id;
      const outside = (await makeFolder(app, owner, 'Outside')).id;
      const file = (await putFile(app, owner, { folderId: inner })).id;
      let grant = '';
      const shares = async () => {
        grant = (await shareWith(app, owner, top, reader.id, 'viewer')).id;
        await shareWith(app, owner, outside, group, 'viewer');
      };
      const folder = (event: string, id: string): Told => [`file_folder.${event}`, { folder_id: id }];
      const ofFile = (event: string): Told => [`file.${event}`, { file_id: file }];
      assert.deepEqual(await seenBy(everybody(), shares), [
        [folder('shared', top), folder('shared', outside)],
        [folder('shared', top)],
        [folder('shared', outside)],
        [],
      ]);
      const rename = () => app.put(`/v1/files/${file}`, { title: 'Renamed' });
      assert.deepEqual(await seenBy(everybody(), rename), [[ofFile('changed')], [ofFile('changed')], [], []]);
      let added = '';
      const add = async () => {
        added = data(
          await app.post(`/v1/files?filename=b&folder_id=${inner}`, undefined, { body: 'b' }),
          201,
        ).id;
      };
      const created = await seenBy(everybody(), add);
      assert.deepEqual(created[1], [['file.created', { file_id: added }]]);
      const moveFile = () => app.put(`/v1/files/${file}`, { folder_id: outside });
      assert.deepEqual(await seenBy(everybody(), moveFile), [
        [ofFile('changed')],
        [ofFile('unshared')],
        [ofFile('shared')],
        [],
      ]);
      const moveFolder = () => app.put(`/v1/file-folders/${inner}`, { parent_id: outside });
      assert.deepEqual(await seenBy(everybody(), moveFolder), [
        [folder('changed', inner)],
        [folder('unshared', inner)],
        [folder('shared', inner)],
        [],
      ]);
      const trash = () => app.delete(`/v1/file-folders/${outside}`);
      const trashed = [folder('trashed', outside)];
      assert.deepEqual(await seenBy(everybody(), trash), [trashed, [], trashed, []]);
      const revoke = () => app.delete(`/v1/file-folders/${top}/permissions/${grant}`);
      const unshared = [folder('unshared', top)];
      assert.deepEqual(await seenBy(everybody(), revoke), [unshared, unshared, [], []]);
    });

    test('a folder that is renamed or moved is changed; the same again emits nothing (CHANGE-31)', async () => {
      const folder = (await makeFolder(app, owner, 'One')).id;
      const target = (await makeFolder(app, owner, 'Two')).id;
      const [own] = await seenBy([owner], async () => {
        data(await app.put(`/v1/file-folders/${folder}`, { name: 'Renamed' }));
        for (let i = 0; i < 2; i++) data(await app.put(`/v1/file-folders/${folder}`, { parent_id: target }));
      });
      const told: Told = ['file_folder.changed', { folder_id: folder }];
      assert.deepEqual(own, [told, told]);
    });

    test('what is moved out of a folder of the trash is restored (CHANGE-32)', async () => {
      const folder = (await makeFolder(app, owner, 'Trashed')).id;
      const id = await shared((await putFile(app, owner, { folderId: folder })).id);
      await app.delete(`/v1/file-folders/${folder}`);
      const [own, readers] = await seenBy([owner, reader], () =>
        app.put(`/v1/files/${id}`, { folder_id: '' }),
      );
      assert.deepEqual(own, [['file.restored', { file_id: id }]]);
      assert.deepEqual(readers, own);
    });

    for (const { kind, make } of [
      { kind: 'file', make: async () => (await putFile(app, owner)).id },
      { kind: 'document', make: async () => (await makeDocument(app, owner)).id },
      { kind: 'spreadsheet', make: () => makeSpreadsheet(app) },
    ]) {
      test(`a ${kind} is shared for its owner, who reached it and the new readers; the same role emits nothing (CHANGE-34)`, async () => {
        const id = await make();
        const ids = { [`${kind}_id`]: id };
        const told: Told[] = [[`${kind}.shared`, ids]];
        const shares = (principal: string, role: string) => () => shareWith(app, owner, id, principal, role);
        assert.deepEqual(await seenBy(everybody(), shares(reader.id, 'viewer')), [told, told, [], []]);
        assert.deepEqual(await seenBy(everybody(), shares(group, 'viewer')), [told, told, told, []]);
        assert.deepEqual(await seenBy(everybody(), shares(reader.id, 'editor')), [told, told, told, []]);
        assert.deepEqual(await seenBy(everybody(), shares(reader.id, 'editor')), [[], [], [], []]);
      });

      test(`a ${kind} is unshared for its owner, who still reaches it and who loses it (CHANGE-18, CHANGE-35)`, async () => {
        const id = await make();
        const grant = (await shareWith(app, owner, id, reader.id, 'viewer')).id;
        await shareWith(app, owner, id, group, 'viewer');
        const told: Told[] = [[`${kind}.unshared`, { [`${kind}_id`]: id }]];
        const revoke = () => app.delete(`/v1/files/${id}/permissions/${grant}`);
        assert.deepEqual(await seenBy(everybody(), revoke), [told, told, told, []]);
        assert.deepEqual(await seenBy(everybody(), revoke), [[], [], [], []]);
        const trash = () => app.delete(`/v1/${kind === 'file' ? 'files' : 'documents'}/${id}`);
        const after: Told[] = [[`${kind}.trashed`, { [`${kind}_id`]: id }]];
        assert.deepEqual(await seenBy(everybody(), trash), [after, [], after, []]);
      });
    }

    test('a document is changed by a new revision and by metadata, and by neither again (CHANGE-31)', async () => {
      const id = await shared((await makeDocument(app, owner)).id);
      const told: Told[] = [['document.changed', { document_id: id }]];
      const revise = () => putContent(app, reader, id, '# News');
      const describeIt = () => app.put(`/v1/documents/${id}`, { metadata: { status: 'done' } });
      for (const act of [revise, describeIt]) {
        assert.deepEqual(await seenBy(everybody(), act), [told, told, told, []]);
        assert.deepEqual(await seenBy(everybody(), act), [[], [], [], []]);
      }
    });

    test('a document that nobody else reaches is told to its owner (CHANGE-30)', async () => {
      const { id } = await makeDocument(app, owner);
      const seen = await seenBy(everybody(), () => putContent(app, owner, id, '# News'));
      assert.deepEqual(seen, [[['document.changed', { document_id: id }]], [], [], []]);
    });

    test('a range that is written is told with the state and the range; the same values emit nothing (CHANGE-36)', async () => {
      const id = await shared(await makeSpreadsheet(app));
      const write = () =>
        put(
          app,
          id,
          'b2',
          [
            [1, 2],
            [3, 4],
          ],
          { key: reader.key },
        );
      const seen = await seenBy(everybody(), write);
      const ids = { spreadsheet_id: id, state: await stateOf(app, id), ranges: ['Sheet1!B2:C3'] };
      const told: Told[] = [['spreadsheet.changed', ids]];
      assert.deepEqual(seen, [told, told, told, []]);
      assert.deepEqual(await seenBy(everybody(), write), [[], [], [], []]);
    });

    test('appended rows are told with the range that they got (CHANGE-36)', async () => {
      const id = await makeSpreadsheet(app);
      await put(app, id, 'A1', [['head']]);
      const [own] = await seenBy([owner], () =>
        app.post(`/v1/spreadsheets/${id}/values/append`, { values: [['a', 'b']] }),
      );
      const ids = { spreadsheet_id: id, state: await stateOf(app, id), ranges: ['Sheet1!A2:B2'] };
      assert.deepEqual(own, [['spreadsheet.changed', ids]]);
    });

    test('a batch is one change with the ranges in which cells changed, without them where they are over 20 (CHANGE-36)', async () => {
      const id = await makeSpreadsheet(app);
      const batch = (count: number, value: number) =>
        app.post(`/v1/spreadsheets/${id}/values/batch`, {
          data: Array.from({ length: count }, (_, i) => ({ range: `A${i + 1}`, values: [[value]] })),
        });
      const ranges = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, i) => `Sheet1!A${from + i}`);
      const tell = async (count: number, value: number) => {
        const [own] = await seenBy([owner], () => batch(count, value));
        return { own, state: await stateOf(app, id) };
      };
      const small = await tell(2, 1);
      assert.deepEqual(small.own, [
        ['spreadsheet.changed', { spreadsheet_id: id, state: small.state, ranges: ranges(1, 2) }],
      ]);
      const partly = await tell(20, 1);
      assert.deepEqual(partly.own, [
        ['spreadsheet.changed', { spreadsheet_id: id, state: partly.state, ranges: ranges(3, 20) }],
      ]);
      const most = await tell(20, 2);
      assert.deepEqual(most.own?.[0]?.[1].ranges, ranges(1, 20));
      const large = await tell(21, 3);
      assert.deepEqual(large.own, [['spreadsheet.changed', { spreadsheet_id: id, state: large.state }]]);
    });

    test('a change of structure and a new title are told with the state; what changes nothing is not (CHANGE-36)', async () => {
      const id = await shared(await makeSpreadsheet(app));
      for (const act of [
        () => restructure(app, id, [{ type: 'add_sheet', sheet: 'Two' }]),
        () => app.put(`/v1/documents/${id}`, { title: 'Renamed' }),
      ]) {
        const seen = await seenBy(everybody(), async () => data(await act()));
        const told: Told[] = [['spreadsheet.changed', { spreadsheet_id: id, state: await stateOf(app, id) }]];
        assert.deepEqual(seen, [told, told, told, []]);
      }
      const idle = [{ type: 'insert_rows', sheet: 'Two', start: 5, count: 1 }];
      const seen = await seenBy(everybody(), async () => data(await restructure(app, id, idle)));
      assert.deepEqual(seen, [[], [], [], []]);
    });

    test('writes that share a transaction are told one by one, of their writers (CHANGE-37)', async () => {
      const id = await shared(await makeSpreadsheet(app));
      const from = await cursorOf(member);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          put(app, id, `A${i + 1}`, [[i]], { key: (i % 2 ? reader : owner).key }),
        ),
      );
      const refused = await put(app, id, 'A1', [['no']], { key: member.key });
      assert.equal(refused.status, 403);
      const changes = await changesBehind(member, from);
      const told = changes.map(({ ids, actor }) => [ids.ranges, ids.state, actor?.user_id]);
      const expected = answers.map((answer, i) => {
        const { range, state } = data(answer);
        return [[range], state, (i % 2 ? reader : owner).id];
      });
      const byRange = (all: unknown[][]) => all.map((one) => JSON.stringify(one)).toSorted();
      assert.deepEqual(byRange(told), byRange(expected));
      assert.equal(changes.at(-1)?.ids.state, await stateOf(app, id));
    });
  });
});
