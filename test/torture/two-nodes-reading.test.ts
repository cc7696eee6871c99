/** Two servers on one PostgreSQL and one S3 store: what one remembers of what it read is never older than the other's change. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { OWNER_KEY } from '../harness.ts';
import type { Actor } from './actor.ts';
import { actorAt } from './actor-at.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { randomOf } from './random.ts';
import { makeWorld } from './world.ts';

/** Who calls at one node: whose everything is, and somebody else of the workspace. */
interface Callers {
  owner: Actor;
  guest: Actor;
}

type Read = (at: Callers) => Promise<unknown>;
type Change = (at: Callers) => Promise<unknown>;

const ALIAS = 'alias@t.example';
/** Of two parts. */
const UPLOADED = 9 * 1024 * 1024;

describe('two nodes show what the other has changed', { timeout: 1_800_000 }, () => {
  let cluster: Cluster;
  let both: [Callers, Callers];
  let guest: { id: string; email: string };
  before(async () => {
    cluster = await startCluster('two nodes');
    const { people } = await makeWorld(cluster, randomOf('reading'), 2);
    const person = people[1] ?? assert.fail();
    const callersAt = (node: number) => ({
      owner: actorAt(cluster, node, OWNER_KEY),
      guest: actorAt(cluster, node, person.key),
    });
    guest = person;
    both = [callersAt(0), callersAt(1)];
  });
  after(() => cluster.stop());

  /** Each change is made at the one or the other in turn, after both have read, and each read shows it at both. */
  const areSeen = async (changes: readonly Change[], ...reads: Read[]) => {
    const readAll = (at: Callers) => Promise.all(reads.map((read) => read(at)));
    for (const [i, change] of changes.entries()) {
      const [writer, reader] = i % 2 === 0 ? both : ([both[1], both[0]] as const);
      const old = await readAll(reader);
      for (const at of [writer, reader]) assert.deepEqual(await readAll(at), old);
      await change(writer);
      const seen = await readAll(reader);
      for (const [n, shown] of seen.entries())
        assert.notDeepEqual(shown, old[n], `read ${n} does not show change ${i}`);
      assert.deepEqual(await readAll(writer), seen);
    }
  };
  const get =
    (path: string): Read =>
    ({ owner }) =>
      owner.get(path);
  const make = async (path: string, body: object) =>
    (await both[0].owner.must({ method: 'POST', path, body })).data;
  const post =
    (path: string, body?: object): Change =>
    ({ owner }) =>
      owner.must({ method: 'POST', path, body });
  const put =
    (path: string, body: object): Change =>
    ({ owner }) =>
      owner.must({ method: 'PUT', path, body });
  const remove =
    (path: string): Change =>
    ({ owner }) =>
      owner.must({ method: 'DELETE', path });

  it('contacts', async () => {
    const { id: book } = await make('/v1/address-books', { name: 'Seen' });
    const { id } = await make('/v1/contacts', { address_book_id: book, name: 'Seen first' });
    const path = `/v1/contacts/${id}`;
    const pages = ['limit=200', `address_book_id=${book}`, 'q=seen'].map((query) =>
      get(`/v1/contacts?${query}`),
    );
    await areSeen(
      [
        put(path, { name: 'Seen second' }),
        put(path, { emails: [{ address: 'seen@away.example' }] }),
        post('/v1/contacts', { address_book_id: book, name: 'Seen third' }),
        remove(path),
        post(`${path}/restore`),
      ],
      ...pages,
    );
    await areSeen([remove(path), post(`${path}/restore`)], get('/v1/address-books'), ...pages);
  });

  it('messages, and the counts of their folders', async () => {
    const { id: folder } = await make('/v1/folders', { name: 'Seen' });
    const { id: other } = await make('/v1/folders', { name: 'Other' });
    const append: Change = ({ owner }) =>
      owner.must({
        method: 'POST',
        path: `/v1/folders/${folder}/messages?flag=starred`,
        body: 'Subject: seen\r\n\r\nbody',
        headers: { 'content-type': 'message/rfc822' },
      });
    const page = get(`/v1/messages?folder_id=${folder}`);
    const starred = get('/v1/messages?flag=starred');
    const counts = get('/v1/folders');
    await areSeen([append, append], page, starred, counts);
    const [message] = await both[0].owner.get(`/v1/messages?folder_id=${folder}`);
    const flag = (op: string, what: object) =>
      post(`/v1/folders/${folder}/messages/flags`, { message_ids: [message.id], op, ...what });
    const record = get(`/v1/messages/${message.id}`);
    await areSeen(
      [flag('add', { labels: ['seen'] }), flag('remove', { labels: ['seen'] })],
      ...[page, starred, record, get('/v1/messages?label=seen')],
    );
    const unread = get('/v1/messages?unread=true');
    await areSeen(
      [flag('add', { flags: ['read'] }), flag('set', { flags: ['deleted'] })],
      ...[page, starred, record, counts, unread],
    );
    await areSeen(
      [post(`/v1/folders/${folder}/expunge`), post(`/v1/messages/${message.id}/restore`)],
      ...[page, counts, unread],
    );
    const move = (from: string, to: string) =>
      post(`/v1/folders/${from}/messages/move`, { message_ids: [message.id], to_folder_id: to });
    await areSeen([move(folder, other), move(other, folder)], page, record, counts);
  });

  it('filters, by what they do to mail that comes in at either', async () => {
    const delivered: Read = async ({ owner }) => {
      const { email } = await owner.get('/v1/users/me');
      const body = { to: [email], subject: 'Filtered', text: 'x' };
      await owner.must({ method: 'POST', path: '/v1/messages', body });
      const folders = await owner.get('/v1/folders');
      const inbox = folders.find(({ role }: { role?: string }) => role === 'inbox');
      const [{ flags }] = await owner.get(`/v1/messages?folder_id=${inbox.id}&limit=1`);
      return flags;
    };
    const rule = (action: object) => ({
      conditions: [{ field: 'subject', op: 'equals', value: 'filtered' }],
      actions: [action],
    });
    const path = '/v1/mail/filters';
    const { id } = await make(path, { name: 'seen', priority: 1, rule: rule({ type: 'mark_read' }) });
    await areSeen(
      [
        put(`${path}/${id}`, { rule: rule({ type: 'set_flag', flag: 'starred' }) }),
        put(`${path}/${id}`, { enabled: false }),
        put(`${path}/${id}`, { enabled: true }),
        remove(`${path}/${id}`),
      ],
      delivered,
    );
  });

  it('files and folders, and who may see them', async () => {
    const { id: folder } = await make('/v1/file-folders', { name: 'Seen' });
    const { data } = await both[0].owner.must({
      method: 'POST',
      path: `/v1/files?filename=seen&folder_id=${folder}`,
      body: 'seen',
      headers: { 'content-type': 'application/octet-stream' },
    });
    const path = `/v1/files/${data.id}`;
    const listed = get(`/v1/files?folder_id=${folder}`);
    await areSeen([put(path, { title: 'seen again' }), put(path, { title: 'seen once' })], listed, get(path));
    await areSeen(
      [remove(path), post(`${path}/restore`)],
      ...[listed, get(path), get('/v1/files?q=seen'), get('/v1/files?trashed=true')],
    );
    await areSeen(
      [remove(`/v1/file-folders/${folder}`), post(`/v1/file-folders/${folder}/restore`)],
      ...[listed, get('/v1/file-folders'), get('/v1/file-folders?trashed=true')],
    );

    const { id: group } = await make('/v1/groups', { name: 'Seen', member_ids: [] });
    const grants = `${path}/permissions`;
    const { id: grant } = await make(grants, {
      principal_type: 'group',
      principal_id: group,
      role: 'viewer',
    });
    const members = (...ids: string[]) => put(`/v1/groups/${group}`, { member_ids: ids });
    const ofGuest: Read = (at) => at.guest.get('/v1/files');
    await areSeen([members(guest.id), members(), members(guest.id)], ofGuest, get(`${path}/access`));
    await areSeen(
      [remove(`${grants}/${grant}`), post(grants, { principal_id: guest.id, role: 'editor' })],
      ...[ofGuest, get(`${path}/access`), get(grants)],
    );
  });

  it('how far an upload has come', async () => {
    const { session_id: session, part_size: size } = await make('/v1/files/uploads', {
      filename: 'seen.bin',
      size: UPLOADED,
    });
    const path = `/v1/files/uploads/${session}`;
    const part =
      (number: number, length: number): Change =>
      ({ owner }) =>
        owner.must({
          method: 'PUT',
          path: `${path}/parts/${number}`,
          body: Buffer.alloc(length, number),
          headers: { 'content-type': 'application/octet-stream' },
        });
    await areSeen([part(1, size), part(2, UPLOADED - size), remove(path)], get(path));
  });

  it('documents', async () => {
    const { id } = await make('/v1/documents', { type: 'document', title: 'Seen' });
    const path = `/v1/documents/${id}`;
    const write =
      (body: string): Change =>
      ({ owner }) =>
        owner.must({
          method: 'PUT',
          path: `${path}/content`,
          body,
          headers: { 'content-type': 'text/markdown', 'if-match': '*' },
        });
    const content: Read = async ({ owner }) => String(await owner.download(`${path}/content`));
    await areSeen([write('one'), write('two')], content, get(path), get(`${path}/revisions`));
    await areSeen(
      [put(path, { title: 'Seen again' }), remove(path), post(`${path}/restore`)],
      ...[get(path), get('/v1/documents?type=document')],
    );
  });

  it('spreadsheets, and what their formulas come to', async () => {
    const { id } = await make('/v1/documents', { type: 'spreadsheet', title: 'Seen' });
    const path = `/v1/spreadsheets/${id}`;
    const values: Read = async ({ owner }) => (await owner.get(`${path}/values/A1:C4`)).values;
    const write = (cell: string, value: unknown) => put(`${path}/values/${cell}`, { values: [[value]] });
    const restructure =
      (operation: object): Change =>
      async ({ owner }) => {
        const { state } = await owner.get(path);
        const body = { operations: [operation] };
        const headers = { 'if-match': state };
        await owner.must({ method: 'POST', path: `${path}/structure`, body, headers });
      };
    const lines = { sheet: 'Sheet1', start: 1, count: 1 };
    await areSeen(
      [
        write('A1', 1),
        write('A1', 2),
        write('B1', '=SUM(A1:A9)*10'),
        write('A1', 3),
        write('A2', 4),
        restructure({ type: 'insert_rows', ...lines }),
        write('A1', 5),
        post(`${path}/values/append`, { values: [[6]] }),
        restructure({ type: 'delete_rows', ...lines }),
      ],
      ...[values, get(path)],
    );
    await areSeen(
      [
        restructure({ type: 'rename_sheet', sheet: 'Sheet1', name: 'Seen' }),
        restructure({ type: 'add_sheet', sheet: 'More' }),
        put(`/v1/documents/${id}`, { title: 'Seen again' }),
      ],
      ...[get(path), get(`${path}/values/A1:C4`)],
    );
  });

  it('when people and rooms are busy', async () => {
    const { id: calendar } = await make('/v1/calendars', { name: 'Seen', time_zone: 'Europe/Berlin' });
    const { id: room } = await make('/v1/resources', { name: 'Seen', kind: 'room' });
    const { id: event } = await make(`/v1/calendars/${calendar}/events`, {
      starts_at: '2028-03-01',
      ends_at: '2028-03-02',
      all_day: true,
      attendees: [guest.email, ALIAS],
      resources: [room],
    });
    const path = `/v1/calendars/${calendar}/events/${event}`;
    const window = { start: '2028-02-20T00:00:00Z', end: '2028-03-20T00:00:00Z' };
    const busyOf =
      (who: object): Read =>
      ({ owner }) =>
        owner.ask('/v1/freebusy', { ...who, ...window });
    const [ofGuest, ofRoom] = [busyOf({ attendees: [guest.email] }), busyOf({ resources: [room] })];
    const slots: Read = ({ owner }) =>
      owner.ask('/v1/freebusy/find', {
        attendees: [guest.email],
        start: '2028-02-29T22:00:00Z',
        end: '2028-03-02T02:00:00Z',
        max_results: 50,
      });
    await areSeen(
      [
        put(`/v1/calendars/${calendar}`, { time_zone: 'America/New_York' }),
        put(`/v1/calendars/${calendar}`, { time_zone: 'Asia/Tokyo' }),
        put(path, { transparency: 'free' }),
        put(path, { transparency: 'busy' }),
        put(path, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }),
      ],
      ...[ofGuest, ofRoom, slots],
    );
    const respond =
      (response: string): Change =>
      (at) =>
        at.guest.must({ method: 'POST', path: `/v1/events/${event}/response`, body: { response } });
    const share = (isShared: boolean) => put(`/v1/users/${guest.id}`, { share_availability: isShared });
    await areSeen([respond('declined'), respond('accepted'), share(false), share(true)], ...[ofGuest, slots]);
    await areSeen([put(path, { resources: [] }), put(path, { resources: [room] })], ofRoom);

    await both[0].owner.must({ method: 'PUT', path, body: { attendees: [ALIAS] } });
    const aliases = (...list: string[]) => put(`/v1/users/${guest.id}`, { aliases: list });
    await areSeen(
      [aliases(ALIAS), aliases(), aliases(ALIAS), remove(path)],
      ...[ofGuest, slots, busyOf({ attendees: [ALIAS, guest.email] })],
    );
  });

  it('whose an address is', async () => {
    const address = 'seen@localhost';
    const send: Read = async ({ owner }) => {
      const body = { to: [address], text: 'x' };
      return (await owner.write({ method: 'POST', path: '/v1/messages', body })).status;
    };
    const change = (body: object) => put(`/v1/users/${guest.id}`, body);
    await areSeen(
      [change({ aliases: [address] }), change({ aliases: [] })],
      ...[send, get(`/v1/users/${guest.id}`), get('/v1/users')],
    );
  });
});
