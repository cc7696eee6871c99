import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { FLAGS } from '../../src/areas/mail/changes/flags.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { append, everyPage, folderOf, rfc822 } from './mail-world.ts';

interface Known {
  id: string;
  folder_id: string;
  date: string;
  flags: Record<string, boolean>;
  labels: string[];
}

interface Filter {
  folders: number[];
  flags: string[];
  labels: string[];
  unread: boolean;
}

const LABELS = ['work', 'todo', 'ü&?#', 'Work'];
const filters: fc.Arbitrary<Filter> = fc
  .record({
    folders: fc.subarray([0, 1, 2]),
    flags: fc.subarray([...FLAGS], { maxLength: 3 }),
    labels: fc.subarray([...LABELS, 'nobody has this'], { maxLength: 2 }),
    unread: fc.boolean(),
  })
  .filter((f) => f.folders.length + f.flags.length + f.labels.length > 0 || f.unread);

forEachEngine((engine) => {
  describe('listing messages', () => {
    let app: TestApp;
    let folders: string[];
    const known: Known[] = [];

    before(async () => {
      app = await startApp(engine);
      folders = await Promise.all(['inbox', 'archive', 'junk'].map((role) => folderOf(app, role)));
      const random = fc.sample(
        fc.record({
          folder: fc.nat(2),
          // Few days, so that many messages arrived at the same moment and the id decides.
          day: fc.nat(20),
          flags: fc.subarray([...FLAGS]),
          labels: fc.subarray(LABELS),
        }),
        { numRuns: 150, seed: 7 },
      );
      for (const { folder, day, flags, labels } of random) {
        const raw = rfc822({ receivedAt: new Date(Date.UTC(2026, 0, 1 + day)) });
        const given = [
          ...flags.map((f) => `flag=${f}`),
          ...labels.map((l) => `label=${encodeURIComponent(l)}`),
        ];
        known.push(await append(app, folders[folder] ?? '', raw, { query: `?${given.join('&')}` }));
      }
      known.sort((a, b) => (a.date === b.date ? compare(b.id, a.id) : compare(b.date, a.date)));
    });
    after(() => app.stop());

    const expected = (filter: Filter) =>
      known.filter(
        (message) =>
          (filter.folders.length === 0 || filter.folders.some((i) => folders[i] === message.folder_id)) &&
          filter.flags.every((flag) => message.flags[flag]) &&
          filter.labels.every((label) => message.labels.includes(label)) &&
          !(filter.unread && message.flags.read),
      );

    const pathOf = (filter: Filter) => {
      const parts = [
        ...filter.folders.map((i) => `folder_id=${folders[i]}`),
        ...filter.flags.map((flag) => `flag=${flag}`),
        ...filter.labels.map((label) => `label=${encodeURIComponent(label)}`),
        ...(filter.unread ? ['unread=true'] : []),
      ];
      return `/v1/messages?${parts.join('&')}`;
    };

    test('every combination of filters lists exactly what it names, newest first, on pages of any size (MAIL-29, MAIL-30, MAIL-31, MAIL-32, MAIL-33, MAIL-34)', async () => {
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
          assert.deepEqual(await everyPage(app, pathOf(filter), limit), expected(filter));
        }),
        { numRuns: 120 },
      );
    });

    test('unread=false counts as given and narrows nothing (MAIL-33, MAIL-34)', async () => {
      assert.deepEqual(await everyPage(app, '/v1/messages?unread=false', 70), known);
    });

    test('what a listing repeats counts once', async () => {
      const path = pathOf({ folders: [0], flags: ['read'], labels: ['work'], unread: false });
      const twice = `${path}&${path.split('?')[1]}`;
      assert.deepEqual(
        await everyPage(app, twice, 7),
        expected({ folders: [0], flags: ['read'], labels: ['work'], unread: false }),
      );
    });

    test('an unknown, malformed or foreign folder lists nothing (API-18, MAIL-30)', async () => {
      for (const id of ['fld_01m7yy5z0mecra7k18700bk26n', 'x', "';--", '%F0%9F%98%80', '%00']) {
        const { json } = await app.get(`/v1/messages?folder_id=${id}`);
        assert.deepEqual(json.data, []);
        assert.deepEqual(json.pagination, { next_cursor: '', has_more: false, limit: 50 });
        assert.deepEqual((await app.get(`/v1/messages?folder_id=${id}&unread=true`)).json.data, []);
      }
    });

    test('a listing without a filter is refused, not narrowed (API-36, MAIL-35)', async () => {
      for (const path of ['/v1/messages', '/v1/messages?limit=10']) {
        const { status, json } = await app.get(path);
        assert.equal(status, 400);
        assert.equal(json.error.code, 'filter_required');
      }
    });

    test('the limit is clamped to 200 and defaults to 50 (API-138, MAIL-29)', async () => {
      const path = `/v1/messages?folder_id=${folders[0]}`;
      assert.equal((await app.get(path)).json.pagination.limit, 50);
      assert.equal((await app.get(`${path}&limit=201`)).json.pagination.limit, 200);
      assert.equal((await app.get(`${path}&limit=99999999999999999999`)).json.pagination.limit, 200);
    });

    test('a page that is full has more, and the next one may be empty (API-135, API-136, API-137)', async () => {
      const all = expected({ folders: [2], flags: [], labels: [], unread: false }).length;
      const path = `/v1/messages?folder_id=${folders[2]}`;
      const full = (await app.get(`${path}&limit=${all}`)).json;
      assert.equal(full.pagination.has_more, true);
      const rest = (await app.get(`${path}&limit=${all}&cursor=${full.pagination.next_cursor}`)).json;
      assert.deepEqual(rest.data, []);
      assert.deepEqual(rest.pagination, { next_cursor: '', has_more: false, limit: all });
    });

    test('pages stay whole while mail arrives (API-144)', async () => {
      const path = `/v1/messages?folder_id=${folders[1]}&limit=5`;
      const before = expected({ folders: [1], flags: [], labels: [], unread: false });
      const seen: Known[] = [];
      let cursor = '';
      do {
        const { json } = await app.get(`${path}${cursor && `&cursor=${cursor}`}`);
        seen.push(...json.data);
        cursor = json.pagination.next_cursor;
        await append(app, folders[1] ?? '', rfc822({ receivedAt: new Date(Date.UTC(2026, 5, 1)) }));
      } while (cursor);
      assert.deepEqual(seen, before);
    });
  });
});

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
