/** The tools: which are there, what they say of themselves, and that each does its work through its operations. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encode } from 'gpt-tokenizer';
import { isWrite } from '../../src/contract/operation.ts';
import { operationsOf } from '../../src/start/server.ts';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE, forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);
const declared = operations.flatMap((operation) =>
  [operation.agent ?? []].flat().map((agent) => ({ operation, agent })),
);

/** The tools of docs/spec/mcp.md. */
const TOOLS =
  'whoami find_people search list_folders list_messages get_message save_draft change_messages move_messages preview_filter save_filter save_attachment find_contacts save_contact list_drive read_file write_file read_document write_document read_range write_range append_rows list_events get_event save_event respond_to_event query_free_busy find_time list_changes trash_item restore_item send_message share_item'.split(
    ' ',
  );
const READING =
  'whoami find_people search list_folders list_messages get_message preview_filter find_contacts list_drive read_file read_document read_range list_events get_event query_free_busy find_time list_changes'.split(
    ' ',
  );
const DESTRUCTIVE =
  'save_draft change_messages move_messages save_filter save_contact write_document write_range save_event respond_to_event trash_item send_message share_item'.split(
    ' ',
  );
/** They send mail, save_event and trash_item where notify says so. */
const OPEN = ['send_message', 'save_event', 'trash_item'];
const FOR_ALL = ['find_operation', 'describe_operation', 'call_operation'];

describe('the list of tools', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE);
  });
  after(() => app.stop());

  const listed = async (query = '', key?: string) => {
    const agent = await connectAgent(app.address, { query, ...(key === undefined ? {} : { key }) });
    const { tools } = await agent.client.listTools();
    await agent.close();
    return tools;
  };
  const namesOf = async (query = '', key?: string) =>
    (await listed(query, key)).map(({ name }) => name).sort();

  it('has all tools, in at most 5,000 tokens (MCP-8, MCP-20)', async () => {
    const tools = await listed();
    assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS.toSorted());
    const tokens = encode(JSON.stringify(tools)).length;
    assert.ok(tokens <= 5_000, `${tokens} tokens`);
  });

  it('says truly what a tool does (MCP-11)', async () => {
    for (const { name, annotations } of await listed('?tools=all')) {
      if (FOR_ALL.includes(name)) continue;
      assert.equal(annotations?.readOnlyHint, READING.includes(name), name);
      assert.equal(annotations?.destructiveHint, DESTRUCTIVE.includes(name), name);
      assert.equal(annotations?.idempotentHint, true, name);
      assert.equal(annotations?.openWorldHint, OPEN.includes(name), name);
    }
    for (const { operation, agent } of declared)
      if (READING.includes(agent.tool)) assert.equal(isWrite(operation), false, operation.id);
  });

  it('names arguments as the operations do (MCP-6)', async () => {
    const own = ['idempotency_key', 'if_match', 'content', 'content_base64', 'cursor'];
    for (const { name, inputSchema } of await listed()) {
      const known = declared
        .filter(({ agent }) => agent.tool === name)
        .flatMap(({ operation: { params, query, body } }) =>
          [params, query, body].flatMap((section) =>
            Object.keys((section as { properties?: object } | undefined)?.properties ?? {}),
          ),
        );
      for (const argument of Object.keys(inputSchema.properties ?? {}))
        assert.ok(known.includes(argument) || own.includes(argument), `${name}: ${argument}`);
    }
  });

  it('has only what the key may call (MCP-7)', async () => {
    const { key } = await makeKey(app, ['mail.messages.read']);
    const names = await namesOf('', key);
    assert.deepEqual(names, [
      'get_message',
      'list_changes',
      'list_folders',
      'list_messages',
      'search',
      'whoami',
    ]);
    const agent = await connectAgent(app.address, { key });
    assert.equal(await agent.refused('trash_item', { id: 'msg_1' }), 'insufficient_scope');
    await agent.close();
  });

  it('has the tools of the wanted areas (MCP-9)', async () => {
    assert.deepEqual(await namesOf('?areas=calendar'), [
      'find_time',
      'get_event',
      'list_events',
      'query_free_busy',
      'respond_to_event',
      'save_event',
      'trash_item',
      'whoami',
    ]);
    const some = await namesOf('?areas=mail,%20drive');
    for (const name of ['get_message', 'list_drive', 'read_document', 'read_range', 'whoami'])
      assert.ok(some.includes(name), name);
    assert.ok(!some.includes('save_event') && !some.includes('find_contacts'));
    const agent = await connectAgent(app.address, { query: '?areas=mail' });
    assert.equal(await agent.refused('trash_item', { id: 'con_1' }), 'validation_failed');
    await agent.close();
    for (const query of ['?areas=mall', '?areas=', '?tools=some']) {
      const { status, json } = await app.post(`/mcp${query}`, { jsonrpc: '2.0', id: 1, method: 'ping' });
      assert.deepEqual([status, json.error.code], [400, 'validation_failed'], query);
    }
  });

  it('finds, describes and calls every other operation (MCP-10)', async () => {
    const agent = await connectAgent(app.address, { query: '?tools=all' });
    const { tools } = await agent.client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [...TOOLS, ...FOR_ALL].sort());
    const found = await agent.use('find_operation', { q: 'create GROUP' });
    assert.deepEqual(found, [{ operation_id: 'createGroup', summary: 'Create a group' }]);
    assert.equal((await agent.call('find_operation', {})).structured.next_cursor, 'part..50');
    const { writes, arguments: given } = await agent.use('describe_operation', {
      operation_id: 'createGroup',
    });
    assert.ok(writes && given.body.properties.name);
    const group = await agent.use('call_operation', {
      operation_id: 'createGroup',
      arguments: { name: 'Board', member_ids: [] },
    });
    assert.match(group.id, /^grp_/);
    assert.equal(await agent.refused('call_operation', { operation_id: 'nothing' }), 'not_found');
    assert.equal(await agent.refused('call_operation', {}), 'validation_failed');
    await agent.close();
    const { key } = await makeKey(app, ['directory.read']);
    const weak = await connectAgent(app.address, { key, query: '?tools=all' });
    assert.equal(await weak.refused('call_operation', { operation_id: 'createGroup' }), 'not_found');
    assert.deepEqual(await weak.use('find_operation', { q: 'create group' }), []);
    await weak.close();
    const plain = await connectAgent(app.address);
    assert.equal(await plain.refused('call_operation', { operation_id: 'createGroup' }), 'not_found');
    await plain.close();
  });
});

forEachEngine((engine) => {
  describe('the tools at work', () => {
    let app: TestApp;
    let agent: TestAgent;
    before(async () => {
      app = await startApp(engine);
      agent = await connectAgent(app.address);
    });
    after(async () => {
      await agent.close();
      await app.stop();
    });

    const append = async (message: string) =>
      data(
        await app.post('/v1/folders/inbox/messages', message.replaceAll('\n', '\r\n'), {
          headers: { 'content-type': 'message/rfc822' },
        }),
        201,
      ).id as string;

    it('tells who one is (MCP-20)', async () => {
      const { user, key, calendars, address_books: books } = await agent.use('whoami');
      assert.equal(user.email, 'owner@localhost');
      assert.ok(key.permissions.includes('mail.messages.send'));
      assert.match(calendars[0].id, /^cal_/);
      assert.match(books[0].id, /^abk_/);
    });

    it('reads and sorts mail, and saves what is attached (MCP-22, MCP-23, MCP-25)', async () => {
      const id = await append(
        'From: Ada <ada@example.org>\nSubject: Bill\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nPay 42.\n--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename=bill.csv\n\na,42\n--b--\n',
      );
      assert.ok((await agent.use('list_folders')).some(({ role }: { role?: string }) => role === 'inbox'));
      const [row] = await agent.use('list_messages', { folder_id: ['inbox'], limit: 1 });
      assert.equal(row.id, id);
      const message = await agent.use('get_message', { id });
      assert.match(message.text, /Pay 42\./);
      assert.equal(message.html, undefined);
      await agent.use('change_messages', { message_ids: [id], add_labels: ['money'], add_flags: ['read'] });
      const [labelled] = await agent.use('list_messages', { label: ['money'] });
      assert.equal(labelled.id, id);
      await agent.use('move_messages', { folder_id: 'inbox', message_ids: [id], to_folder_id: 'archive' });
      assert.deepEqual(await agent.use('list_messages', { folder_id: ['inbox'] }), []);
      const [{ id: attachment_id }] = message.attachments;
      const file = await agent.use('save_attachment', { id, attachment_id });
      assert.match((await agent.use('read_file', { id: file.id })).text, /a,42/);
    });

    it('keeps drafts and sends them (MCP-23, MCP-36)', async () => {
      await makeUser(app, { email: 'grace@localhost' });
      const { id } = await agent.use('save_draft', { to: ['grace@localhost'], subject: 'One', text: 'a' });
      await agent.use('save_draft', { id, to: ['grace@localhost'], subject: 'Two', text: 'b' });
      assert.match((await agent.use('send_message', { id })).id, /^msg_/);
      await agent.use('send_message', { to: ['grace@localhost'], subject: 'Three', text: 'c' });
      const sent = data(await app.get('/v1/messages?folder_id=sent'));
      assert.deepEqual(
        sent.map(({ subject }: { subject: string }) => subject),
        ['Three', 'Two'],
      );
    });

    it('previews and saves filters (MCP-24)', async () => {
      const rule = {
        conditions: [{ field: 'subject', op: 'contains', value: 'Bill' }],
        actions: [{ type: 'add_label', label: 'bills' }],
      };
      const seen = await agent.use('preview_filter', { rule });
      assert.ok(JSON.stringify(seen).includes('Bill'));
      const filter = await agent.use('save_filter', { name: 'Bills', priority: 1, rule });
      await agent.use('save_filter', { id: filter.id, name: 'All bills' });
      assert.equal(data(await app.get(`/v1/mail/filters/${filter.id}`)).name, 'All bills');
    });

    it('keeps contacts, and finds people (MCP-21, MCP-26)', async () => {
      const { address_books: books } = await agent.use('whoami');
      const contact = await agent.use('save_contact', { address_book_id: books[0].id, name: 'Alan' });
      await agent.use('save_contact', { id: contact.id, notes: 'Enigma' });
      assert.equal((await agent.use('find_contacts', { q: 'alan' }))[0].notes, 'Enigma');
      assert.equal((await agent.use('find_people', { q: 'owner' }))[0].email, 'owner@localhost');
    });

    it('keeps files and documents, and lists where they are (MCP-27, MCP-28, MCP-29)', async () => {
      const folder = data(await app.post('/v1/file-folders', { name: 'Papers' }), 201);
      const file = await agent.use('write_file', {
        filename: 'a.txt',
        folder_id: folder.id,
        content: 'Hello',
      });
      assert.equal((await agent.use('read_file', { id: file.id })).text, 'Hello');
      const bytes = await agent.use('write_file', { filename: 'b.bin', content_base64: 'AAEC/w==' });
      assert.equal(bytes.size_bytes, 4);
      assert.equal(await agent.refused('write_file', { filename: 'c.txt' }), 'validation_failed');
      assert.equal(
        await agent.refused('write_file', { filename: 'c.txt', content: 'a', content_base64: 'YQ==' }),
        'validation_failed',
      );
      const made = await agent.call('write_document', {
        title: 'Plan',
        folder_id: folder.id,
        content: '# One',
      });
      const { id } = made.structured.data;
      const read = await agent.call('read_document', { id });
      assert.equal(read.structured.data.text, '# One');
      assert.equal(read.structured.state, made.structured.state);
      assert.equal(await agent.refused('write_document', { id, content: '# Two' }), 'precondition_required');
      await agent.use('write_document', { id, content: '# Two', if_match: read.structured.state });
      assert.equal(
        await agent.refused('write_document', { id, content: '# Three', if_match: read.structured.state }),
        'state_mismatch',
      );
      const inFolder = await agent.use('list_drive', { folder_id: folder.id });
      assert.deepEqual(inFolder.map((row: { id: string }) => row.id).sort(), [file.id, id].sort());
      const root = await agent.use('list_drive');
      assert.ok(root.some((row: { id: string }) => row.id === folder.id));
      const named = await agent.use('list_drive', { q: 'pa' });
      assert.deepEqual(
        named.map((row: { id: string }) => row.id),
        [folder.id],
      );
    });

    it('reads and writes cells (MCP-30)', async () => {
      const { id } = await agent.use('write_document', { type: 'spreadsheet', title: 'Sums' });
      await agent.use('write_range', {
        id,
        range: 'A1:B2',
        values: [
          [1, 2],
          ['=A1+B1', 'x'],
        ],
      });
      await agent.use('append_rows', { id, values: [['last']] });
      const { values } = await agent.use('read_range', { id, range: 'A1:B3' });
      assert.deepEqual(values, [[1, 2], [3, 'x'], ['last']]);
    });

    it('arranges meetings (MCP-31, MCP-32)', async () => {
      const { calendars } = await agent.use('whoami');
      const [{ id }] = calendars;
      const day = { start: '2030-01-07T00:00:00Z', end: '2030-01-08T00:00:00Z' };
      const event = await agent.use('save_event', {
        id,
        starts_at: '2030-01-07T09:00:00Z',
        ends_at: '2030-01-07T10:00:00Z',
      });
      await agent.use('save_event', { id, event_id: event.id, ends_at: '2030-01-07T11:00:00Z' });
      assert.equal((await agent.use('list_events', { id, ...day })).length, 1);
      const busy = await agent.use('query_free_busy', { attendees: ['owner@localhost'], ...day });
      assert.ok(JSON.stringify(busy).includes('2030-01-07T11:00:00'));
      const times = await agent.use('find_time', { attendees: ['owner@localhost'], ...day, max_results: 1 });
      assert.ok(JSON.stringify(times).includes('2030-01-07T00:00:00'));
      await agent.use('trash_item', { id, event_id: event.id });
      assert.deepEqual(await agent.use('list_events', { id, ...day }), []);
    });

    it('answers invitations (MCP-31)', async () => {
      const guest = await makeUser(app, { email: 'guest@localhost' });
      const { key } = await makeKey(app, ['calendar.events.read', 'calendar.events.write'], {
        user_id: guest.id,
      });
      const { calendars } = await agent.use('whoami');
      const event = await agent.use('save_event', {
        id: calendars[0].id,
        starts_at: '2030-02-07T09:00:00Z',
        ends_at: '2030-02-07T10:00:00Z',
        attendees: ['guest@localhost'],
      });
      const invited = await connectAgent(app.address, { key });
      await invited.use('respond_to_event', { id: event.id, response: 'accepted' });
      await invited.close();
      const { attendees } = data(await app.get(`/v1/calendars/${calendars[0].id}/events/${event.id}`));
      assert.equal(attendees[0].response, 'accepted');
    });

    it('trashes and restores each kind (MCP-34, MCP-35)', async () => {
      const { address_books: books } = await agent.use('whoami');
      const ids = [
        await append('Subject: Gone\n\nx\n'),
        (await agent.use('save_contact', { address_book_id: books[0].id, name: 'Gone' })).id,
        (await agent.use('write_file', { filename: 'gone.txt', content: 'x' })).id,
        data(await app.post('/v1/file-folders', { name: 'Gone' }), 201).id,
        (await agent.use('write_document', { title: 'Gone', content: 'x' })).id,
        (await agent.use('write_document', { title: 'Gone', type: 'spreadsheet' })).id,
      ] as string[];
      for (const id of ids) await agent.use('trash_item', { id });
      const trash = data(await app.get('/v1/messages?folder_id=trash'));
      assert.equal(trash[0].id, ids[0]);
      assert.equal(data(await app.get('/v1/files?trashed=true')).length, 1);
      assert.equal(data(await app.get('/v1/contacts?trashed=true')).length, 1);
      for (const id of ids.slice(1)) await agent.use('restore_item', { id });
      assert.equal(data(await app.get('/v1/files?trashed=true')).length, 0);
      const draft = await agent.use('save_draft', { subject: 'Gone' });
      await agent.use('trash_item', { id: draft.id });
      assert.equal((await app.get(`/v1/drafts/${draft.id}`)).status, 404);
      for (const id of ['usr_1', 'gone', '', undefined])
        assert.equal(await agent.refused('trash_item', id === undefined ? {} : { id }), 'validation_failed');
    });

    it('shares with people (MCP-37)', async () => {
      const friend = await makeUser(app, { email: 'friend@localhost' });
      const { id } = await agent.use('write_file', { filename: 'shared.txt', content: 'x' });
      await agent.use('share_item', { id, email: 'friend@localhost', role: 'viewer' });
      const folder = data(await app.post('/v1/file-folders', { name: 'Ours' }), 201);
      await agent.use('share_item', { id: folder.id, email: 'friend@localhost', role: 'editor' });
      const grants = data(await app.get(`/v1/files/${id}/permissions`));
      assert.equal(grants[0].principal_id, friend.id);
    });

    it('follows what changes (MCP-33)', async () => {
      const first = await agent.call('list_changes');
      await agent.use('write_file', { filename: 'new.txt', content: 'x' });
      const { changes } = await agent.use('list_changes', { cursor: first.structured.next_cursor, wait: 5 });
      assert.deepEqual(
        changes.map(({ type }: { type: string }) => type),
        ['file.created'],
      );
    });

    it('finds by words (MCP-38)', async () => {
      const { id } = await agent.use('write_document', { title: 'Zeppelin', content: 'airship' });
      const found = async () => (await agent.use('search', { q: 'zeppelin airship' })).length === 1;
      for (let tries = 0; !(await found()); tries++) assert.ok(tries < 600, 'it is found');
      assert.equal((await agent.use('search', { q: 'zeppelin' }))[0].id, id);
    });

    it('refuses with the code of the API and what to do next (MCP-17)', async () => {
      for (const [name, given, code] of [
        ['get_message', { id: 'msg_01k0qv5m8qe3rsgm9y3f2c7d4x' }, 'not_found'],
        ['get_message', {}, 'validation_failed'],
        ['get_message', { id: 'x', more: 1 }, 'validation_failed'],
        ['list_messages', {}, 'filter_required'],
        ['list_messages', { folder_id: ['inbox'], limit: 0 }, 'validation_failed'],
        ['list_messages', { folder_id: ['inbox'], limit: 'many' }, 'validation_failed'],
        ['list_messages', { folder_id: ['inbox'], cursor: 'x' }, 'invalid_cursor'],
        ['send_message', { to: ['nobody@localhost'] }, 'unknown_recipient'],
        ['save_contact', { name: 'x', address_book_id: 1 }, 'validation_failed'],
        ['list_drive', { cursor: 'x' }, 'invalid_cursor'],
        ['get_message', { id: ['a'] }, 'not_found'],
        ['get_message', { id: { a: 1 } }, 'not_found'],
      ] as const) {
        const { structured, isError, texts } = await agent.call(name, given);
        assert.equal(isError, true, name);
        assert.equal(structured.error.code, code, `${name} ${JSON.stringify(given)}: ${texts[0]}`);
        assert.match(structured.error.next, /^[A-Z][^.]*\.$/, 'one sentence');
        assert.ok(texts[0]?.includes(code) && texts[0].includes(structured.error.next));
      }
      const { key } = await makeKey(app, ['mail.messages.read']);
      const weak = await connectAgent(app.address, { key });
      const { structured } = await weak.call('search', { q: 'x', kinds: ['file'] });
      assert.equal(structured.error.details.missing_permission, 'files.read');
      await weak.close();
    });

    it('reads the text of files, and says where there is none (MCP-18)', async () => {
      const html = await agent.use('write_file', {
        filename: 'a.html',
        content: '<p>Hello <b>there</b></p>',
      });
      assert.match((await agent.use('read_file', { id: html.id })).text, /Hello there/);
      const json = await agent.use('write_file', { filename: 'a.json', content: '{"a": [1]}' });
      assert.equal((await agent.use('read_file', { id: json.id })).text, '{"a": [1]}');
      const picture =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const { id } = await agent.use('write_file', { filename: 'a.png', content_base64: picture });
      assert.equal(await agent.refused('read_file', { id }), 'unreadable_file');
    });

    it('gives every text and list in parts that are short enough (MCP-16)', async () => {
      /** Follows the cursors of a call. Returns the parts of a member. */
      const partsOf = async (name: string, given: Record<string, unknown>, member: string) => {
        const parts: (string | unknown[])[] = [];
        let cursor = '';
        do {
          const { structured, texts } = await agent.call(name, cursor === '' ? given : { ...given, cursor });
          assert.equal(structured.error, undefined, String(texts[0]));
          assert.ok(JSON.stringify(structured.data).length <= 50_000);
          if (structured.data[member] !== undefined) parts.push(structured.data[member]);
          cursor = structured.next_cursor;
        } while (cursor !== '');
        return parts;
      };
      const text = 'a line 😀 "of"\ttext\\\n\n  x\n'.repeat(5_000);
      const file = await agent.use('write_file', { filename: 'long.txt', content: text });
      assert.equal((await partsOf('read_file', { id: file.id }, 'text')).join(''), text);
      const document = await agent.use('write_document', { title: 'Long', content: text });
      assert.equal((await partsOf('read_document', { id: document.id }, 'text')).join(''), text);
      const to = Array.from({ length: 2_000 }, (_, n) => `Person ${n} <person.${n}@example.org>`);
      const id = await append(`To: ${to.join(',\n ')}\nSubject: Many\n\n${'words of it\n'.repeat(6_000)}`);
      const texts = await partsOf('get_message', { id }, 'text');
      assert.equal(texts.join('').match(/words of it/g)?.length, 6_000);
      const lists = await partsOf('get_message', { id }, 'to');
      assert.equal(lists.flat().length, 2_000);
      assert.ok(lists.every((rows) => rows.length <= 50));
    });

    it('lists folders with long rows, and many calendars, in parts that are short enough (MCP-16)', async () => {
      const folder = data(await app.post('/v1/file-folders', { name: 'Long rows' }), 201);
      const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'x'.repeat(450)]));
      const made: string[] = [];
      for (let n = 0; n < 12; n++) {
        const body = { type: 'document', title: `${n}`, folder_id: folder.id, metadata };
        made.push(data(await app.post('/v1/documents', body), 201).id);
      }
      for (let n = 0; n < 52; n++) data(await app.post('/v1/calendars', { name: `Calendar ${n}` }), 201);
      const rowsOf = async (
        name: string,
        given: object,
        rows: (of: unknown) => { id: string }[] | undefined,
      ) => {
        const ids: string[] = [];
        for (let cursor = ''; ; ) {
          const { structured } = await agent.call(name, cursor === '' ? { ...given } : { ...given, cursor });
          assert.ok(JSON.stringify(structured.data).length <= 50_000);
          const part = rows(structured.data) ?? [];
          assert.ok(part.length <= 50);
          ids.push(...part.map(({ id }) => id));
          cursor = structured.next_cursor;
          if (cursor === '') return ids.sort();
        }
      };
      const listed = await rowsOf('list_drive', { folder_id: folder.id }, (of) => of as { id: string }[]);
      assert.deepEqual(listed, made.sort());
      const calendars = await rowsOf(
        'whoami',
        {},
        (of) => (of as { calendars?: { id: string }[] }).calendars,
      );
      assert.equal(new Set(calendars).size, calendars.length);
      assert.ok(calendars.length > 52);
    });

    it('refuses what it would pass over or change, and does nothing then (MCP-6)', async () => {
      const nothing = { toString: 1, valueOf: 1 };
      const before = data(await app.get('/v1/documents?limit=100')).length;
      for (const [name, given, code] of [
        ['write_document', { title: 'x', content: 5 }, 'validation_failed'],
        ['write_document', { title: 'x', content: 'a\0b' }, 'validation_failed'],
        ['write_document', { title: 'x', content: '\ud800' }, 'validation_failed'],
        ['write_document', { title: 'x', type: 'spreadsheet', content: 'a' }, 'validation_failed'],
        [
          'write_document',
          { title: 'x', content: 'a', idempotency_key: 'k'.repeat(250) },
          'invalid_idempotency_key',
        ],
        ['write_document', { title: 'x', content: 'a', idempotency_key: nothing }, 'validation_failed'],
        ['write_document', { id: 'doc_1', title: 'x', content: 'a', if_match: 'a' }, 'validation_failed'],
        ['write_file', { filename: 'x', content_base64: 'data:text/plain;base64,YQ==' }, 'validation_failed'],
        ['write_file', { filename: 'x', content: 1, content_base64: 'YQ==' }, 'validation_failed'],
        ['write_file', { filename: 'x', content: '\ud800' }, 'validation_failed'],
        ['write_file', { filename: 'x', content: 'x', idempotency_key: null }, 'invalid_idempotency_key'],
        ['send_message', { to: ['owner@localhost'], content: 'not the text' }, 'validation_failed'],
        ['list_drive', { folder: 'x' }, 'validation_failed'],
        ['list_drive', { q: nothing }, 'validation_failed'],
        ['list_drive', { cursor: nothing }, 'validation_failed'],
        ['list_drive', { cursor: 'folders.x' }, 'invalid_cursor'],
        ['whoami', { x: 1 }, 'validation_failed'],
        ['trash_item', { id: nothing }, 'validation_failed'],
        ['get_message', { id: 'x', cursor: nothing }, 'validation_failed'],
        ['list_messages', { folder_id: ['inbox'], cursor: 'part..10' }, 'invalid_cursor'],
      ] as const)
        assert.equal(await agent.refused(name, given), code, `${name} ${JSON.stringify(given)}`);
      assert.equal(data(await app.get('/v1/documents?limit=100')).length, before);
    });

    it('marks what others have written, also where it answers a write (MCP-15)', async () => {
      const id = await append(
        'Subject: OBEY\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename=OBEY.csv\n\na\n--b--\n',
      );
      const { attachments } = await agent.use('get_message', { id });
      for (const [name, given] of [
        ['save_attachment', { id, attachment_id: attachments[0].id }],
        ['restore_item', { id }],
        ['send_message', { to: ['owner@localhost'], reply_to_message_id: id, text: 'x' }],
      ] as const) {
        const { texts, marked, structured } = await agent.call(name, given);
        assert.deepEqual([structured.untrusted, marked], [true, [false, true]], name);
        assert.ok(texts[1]?.includes('OBEY') && !texts[0]?.includes('OBEY'), name);
      }
    });

    it('reads resources as long as an answer, and says no more of faults (MCP-16, MCP-17)', async (t) => {
      const text = 'words\n'.repeat(20_000);
      const { id } = await agent.use('write_document', { title: 'Long resource', content: text });
      const { contents } = await agent.client.readResource({ uri: `atrium://document/${id}` });
      const [{ text: marked, _meta }] = contents as unknown as [
        { text: string; _meta: Record<string, unknown> },
      ];
      const mark = _meta['atrium/mark'];
      const part = marked.slice(marked.indexOf(`<${mark}>\n`) + `<${mark}>\n`.length, -`\n</${mark}>`.length);
      assert.ok(part.length <= 50_000 && text.startsWith(part));
      assert.equal(_meta['atrium/untrusted'], true);
      const next = await agent.use('read_document', { id, cursor: _meta['atrium/next_cursor'] });
      assert.ok(text.slice(part.length).startsWith(next.text));
      const { database } = app.services;
      t.mock.method(database, 'read', () => Promise.reject(new Error('a secret of the server')));
      await assert.rejects(
        agent.client.readResource({ uri: `atrium://document/${id}` }),
        ({ message }: Error) => /internal: /.test(message) && !message.includes('secret'),
      );
    });
  });
});
