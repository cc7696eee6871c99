/**
 * An agent does errands in the demo workspace. In each, the server is killed in the middle of every call that
 * writes, and the agent issues that call again.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cast } from '../../demo/people.ts';
import { populate } from '../../demo/populate.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';
import { OWNER_KEY } from '../harness.ts';
import { PROGRAM } from '../program.ts';
import { randomOf } from '../torture/random.ts';
import { connectAgent } from './agents.ts';

/** A call of a tool, and what it has answered. */
// biome-ignore lint/suspicious/noExplicitAny: errands look into answers of every shape
type Use = (name: string, given?: Record<string, unknown>) => Promise<any>;

/** What is done, and how it shows that it has happened once. */
interface Errand {
  title: string;
  run: (use: Use) => Promise<unknown>;
  /** What must be 1 afterwards. */
  count: (use: Use) => Promise<number>;
}

const INVOICE = [
  'From: The Mill <mill@engines.example>',
  'Subject: Invoice 1844 for the store and the mill',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  '',
  'Please pay 42.50.',
  '--b',
  'Content-Type: text/csv',
  'Content-Disposition: attachment; filename=invoice-1844.csv',
  '',
  'item,amount',
  'mill,42.50',
  '--b--',
  '',
].join('\r\n');

/** When a colleague invites to a meeting. */
const JUNE = { start: '2031-06-01T00:00:00Z', end: '2031-07-01T00:00:00Z' };

/** The id of the row whose member is this. */
function idOf(rows: { id: string }[], member: string, value: string): string {
  const found = rows.find((row) => (row as Record<string, unknown>)[member] === value);
  assert.ok(found, `${member} is ${value}`);
  return found.id;
}

const invoice = async (
  use: Use,
): Promise<{ id: string; attachments: { id: string }[]; thread_id: string }> => {
  const rows = await use('list_messages', { folder_id: ['inbox'], limit: 50 });
  return use('get_message', { id: idOf(rows, 'subject', 'Invoice 1844 for the store and the mill') });
};
const named = (rows: Record<string, unknown>[], member: string, value: unknown) =>
  rows.filter((row) => row[member] === value).length;

const ERRANDS: readonly Errand[] = [
  {
    title: 'labels the mail with the invoice',
    run: async (use) =>
      use('change_messages', { message_ids: [(await invoice(use)).id], add_labels: ['to pay'] }),
    count: async (use) => (await use('list_messages', { label: ['to pay'] })).length,
  },
  {
    title: 'files its attachment',
    run: async (use) => {
      const { id, attachments } = await invoice(use);
      await use('save_attachment', { id, attachment_id: attachments[0]?.id, title: 'Invoice 1844.csv' });
    },
    count: async (use) => named(await use('list_drive', { q: 'Invoice 1844' }), 'title', 'Invoice 1844.csv'),
  },
  {
    title: 'makes a sheet and puts the total into it',
    run: async (use) => {
      const [{ id: file }] = await use('list_drive', { q: 'Invoice 1844' });
      const { text } = await use('read_file', { id: file });
      const { id } = await use('write_document', { type: 'spreadsheet', title: 'Payables' });
      await use('append_rows', { id, values: [['The Mill', Number(/mill,([\d.]+)/.exec(text)?.[1])]] });
    },
    count: async (use) => {
      const sheets = await use('list_drive', { q: 'Payables' });
      assert.equal(sheets.length, 1);
      const { values } = await use('read_range', { id: sheets[0].id, range: 'A1:B10' });
      assert.deepEqual(values[0], ['The Mill', 42.5]);
      return values.length;
    },
  },
  {
    title: 'books three people at a time that suits all',
    run: async (use) => {
      const { calendars } = await use('whoami');
      const people = (await use('find_people', {})).slice(0, 3).map(({ email }: { email: string }) => email);
      const { slots } = await use('find_time', {
        attendees: people,
        start: '2031-05-05T08:00:00Z',
        end: '2031-05-05T18:00:00Z',
        duration_minutes: 45,
      });
      await use('save_event', {
        id: calendars[0].id,
        starts_at: slots[0].starts_at,
        ends_at: slots[0].ends_at,
        attendees: people,
      });
    },
    count: async (use) => {
      const { calendars } = await use('whoami');
      const day = { start: '2031-05-05T00:00:00Z', end: '2031-05-06T00:00:00Z' };
      return (await use('list_events', { id: calendars[0].id, ...day })).length;
    },
  },
  {
    title: 'accepts what a colleague invites to',
    run: async (use) => {
      const waiting = await use('list_events', JUNE);
      await use('respond_to_event', { id: idOf(waiting, 'response', 'needs_action'), response: 'accepted' });
    },
    count: async (use) => named(await use('list_events', JUNE), 'response', 'accepted'),
  },
  {
    title: 'drafts an answer',
    run: async (use) => {
      const { id } = await invoice(use);
      await use('save_draft', { to: ['mill@engines.example'], text: 'It is paid.', reply_to_message_id: id });
    },
    count: async (use) => (await use('list_messages', { folder_id: ['drafts'] })).length,
  },
  {
    title: 'tells a colleague',
    run: async (use) => {
      const [colleague] = (await use('find_people', {})).filter(
        ({ email }: { email: string }) => email !== 'owner@localhost',
      );
      await use('send_message', { to: [colleague.email], subject: 'Invoice 1844', text: 'I have filed it.' });
    },
    count: async (use) =>
      named(await use('list_messages', { folder_id: ['sent'] }), 'subject', 'Invoice 1844'),
  },
  {
    title: 'keeps the sender as a contact',
    run: async (use) => {
      const { address_books: books } = await use('whoami');
      const emails = [{ address: 'mill@engines.example' }];
      const { id } = await use('save_contact', { address_book_id: books[0].id, name: 'The Mill', emails });
      await use('save_contact', { id, notes: 'Sends invoices.' });
    },
    count: async (use) => {
      const found = await use('find_contacts', { q: 'mill@engines' });
      assert.equal(found[0].notes, 'Sends invoices.');
      return found.length;
    },
  },
  {
    title: 'writes minutes and corrects them',
    run: async (use) => {
      const { id } = await use('write_document', { title: 'Minutes of May', content: '# Minutes' });
      await use('write_document', { id, content: '# Minutes\n\nPaid.', if_match: '*' });
    },
    count: async (use) => {
      const found = await use('list_drive', { q: 'Minutes of May' });
      assert.equal((await use('read_document', { id: found[0].id })).text, '# Minutes\n\nPaid.');
      return found.length;
    },
  },
  {
    title: 'makes a filter for the next invoices',
    run: async (use) => {
      const rule = {
        conditions: [{ field: 'from', op: 'contains', value: 'mill@engines.example' }],
        actions: [{ type: 'add_label', label: 'to pay' }],
      };
      await use('preview_filter', { rule });
      await use('save_filter', { name: 'Invoices of the mill', priority: 5, rule });
    },
    count: async (use) => {
      const filters = await use('call_operation', { operation_id: 'listMailFilters', arguments: {} });
      return named(filters, 'name', 'Invoices of the mill');
    },
  },
  {
    title: 'shares the minutes and clears the inbox of one message',
    run: async (use) => {
      const [{ id }] = await use('list_drive', { q: 'Minutes of May' });
      const [colleague] = (await use('find_people', {})).filter(
        ({ email }: { email: string }) => email !== 'owner@localhost',
      );
      await use('share_item', { id, email: colleague.email, role: 'viewer' });
      await use('trash_item', { id: (await invoice(use)).id });
    },
    count: async (use) => {
      const [{ id }] = await use('list_drive', { q: 'Minutes of May' });
      const listed = { operation_id: 'listFilePermissions', arguments: { id } };
      const trash = await use('list_messages', { folder_id: ['trash'] });
      assert.equal(named(trash, 'subject', 'Invoice 1844 for the store and the mill'), 1);
      return (await use('call_operation', listed)).length;
    },
  },
];

/** A colleague of the owner, the first of these people, invites them. */
async function invite([owner, colleague]: Cast['people']): Promise<void> {
  assert.ok(owner && colleague);
  const { calendar } = colleague.atrium;
  const [{ id } = assert.fail('everybody has a calendar')] = await calendar.listCalendars();
  const starts_at = '2031-06-11T09:00:00Z';
  const ends_at = '2031-06-11T10:00:00Z';
  await calendar.createEvent(id, { starts_at, ends_at, attendees: [owner.user.email] });
}

interface Serving {
  process: ChildProcess;
  address: string;
}

/** Calls are in flight for at most so long when the server is killed. */
const LONGEST_FLIGHT_MS = 25;

describe('an agent that is interrupted', { timeout: 240_000 }, () => {
  const random = randomOf('errands');
  const started: ChildProcess[] = [];
  let storage: TestDatabase;
  let serving: Serving;

  before(async () => {
    storage = await freshDatabase('sqlite');
    serving = await serve();
    const { people } = await populate(serving.address, OWNER_KEY, { messages: 30, contacts: 5 });
    await invite(people);
    const answer = await fetch(`${serving.address}/v1/folders/inbox/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'idempotency-key': 'invoice',
        'content-type': 'message/rfc822',
      },
      body: INVOICE,
    });
    assert.equal(answer.status, 201);
  });
  after(async () => {
    for (const child of started) child.kill('SIGKILL');
    await storage.remove();
  });

  async function serve(): Promise<Serving> {
    const child = spawn(process.execPath, [PROGRAM, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ATRIUM_PORT: '0',
        ATRIUM_SMTP_PORT: '0',
        ATRIUM_WELCOME: 'off',
        ATRIUM_DATA_DIR: storage.dataDir,
        ATRIUM_DATABASE_URL: '',
        ATRIUM_OWNER_KEY: OWNER_KEY,
      },
    });
    started.push(child);
    for await (const line of createInterface(child.stdout)) {
      const [, address] = /^Atrium is ready on (\S+)$/.exec(line) ?? [];
      if (address) return { process: child, address };
    }
    assert.fail('the server did not start');
  }

  const kill = async () => {
    const ended = once(serving.process, 'exit');
    serving.process.kill('SIGKILL');
    await ended;
    serving = await serve();
  };
  const connect = () => connectAgent(serving.address, { query: '?tools=all' });

  /** Does an errand; the server is killed during each call that writes, which is then issued again. Returns how often. */
  const interrupted = async ({ run }: Errand) => {
    let agent = await connect();
    const { tools } = await agent.client.listTools();
    const reading = new Set(
      tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name),
    );
    let kills = 0;
    const use: Use = async (name, given) => {
      if (reading.has(name)) return agent.use(name, given);
      const lost = agent.use(name, given).catch(() => undefined);
      await pause(random.int(LONGEST_FLIGHT_MS));
      await kill();
      kills++;
      await lost;
      agent = await connect();
      return agent.use(name, given);
    };
    await run(use);
    await agent.close();
    return kills;
  };

  for (const errand of ERRANDS)
    it(`${errand.title}, once (MCP-14)`, async () => {
      assert.ok((await interrupted(errand)) > 0);
      const agent = await connect();
      assert.equal(await errand.count(agent.use), 1);
      await agent.close();
    });
});
