import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser, makeWorkspace, readPages } from './accounts.ts';

const FILTERS = '/v1/mail/filters';
const CONDITION = { field: 'subject', op: 'contains', value: 'engine' };
const RULE = { match: 'all', conditions: [CONDITION], actions: [{ type: 'move', folder: 'Lists/Engines' }] };
const FILTER = { name: 'Engines', priority: 10, rule: RULE };

forEachEngine((engine) => {
  describe('mail filters', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    /** The key of a new user of the same workspace, with every permission. */
    async function newMailbox(): Promise<string> {
      const { id } = await makeUser(app);
      return (await makeKey(app, ALL_PERMISSIONS, { user_id: id })).key;
    }

    async function create(fields: object = {}, key?: string) {
      return data(await app.post(FILTERS, { ...FILTER, ...fields }, key ? { key } : {}), 201);
    }

    it('mail filters are created, read, changed and deleted (FILTER-1, FILTER-2, FILTER-27, FILTER-29, FILTER-30, FILTER-31)', async () => {
      const key = await newMailbox();
      const made = await create({}, key);
      assert.match(made.id, /^flt_/);
      assert.deepEqual(made, {
        id: made.id,
        ...FILTER,
        enabled: true,
        created_at: made.created_at,
        updated_at: made.created_at,
      });
      const path = `${FILTERS}/${made.id}`;
      assert.deepEqual(data(await app.get(path, { key })), made);
      const disabled = data(await app.put(path, { enabled: false }, { key }));
      assert.deepEqual(disabled, { ...made, enabled: false, updated_at: disabled.updated_at });
      const rule = { match: 'any', conditions: [CONDITION, CONDITION], actions: [{ type: 'discard' }] };
      const changed = data(await app.put(path, { name: 'New', priority: -3, rule }, { key }));
      assert.deepEqual(changed, {
        ...disabled,
        name: 'New',
        priority: -3,
        rule,
        updated_at: changed.updated_at,
      });
      assert.deepEqual(data(await app.get(path, { key })), changed);
      assert.equal((await app.delete(path, { key })).status, 204);
      assert.equal((await app.get(path, { key })).status, 404);
      assert.equal((await app.delete(path, { key })).status, 404);
    });

    it('mail filters match all conditions by default (FILTER-6)', async () => {
      const { match: _match, ...rule } = RULE;
      assert.deepEqual((await create({ rule })).rule, RULE);
    });

    it('mail filters take every field, op, action and flag there is (FILTER-9, FILTER-10, FILTER-17, FILTER-20)', async () => {
      const rule = {
        match: 'any',
        conditions: [
          ...['from', 'to', 'cc', 'subject', 'body', 'header:X-Ünïq'.normalize('NFD').replace(/[^ -~]/g, '')],
        ].flatMap((field) =>
          ['contains', 'equals', 'starts_with', 'ends_with'].map((op) => ({ field, op, value: 'a\nb' })),
        ),
        actions: [
          { type: 'move', folder: 'Größe' },
          ...['read', 'starred', 'answered', 'draft', 'deleted'].map((flag) => ({ type: 'set_flag', flag })),
          { type: 'mark_read' },
          { type: 'mark_unread' },
          { type: 'discard' },
        ],
      };
      assert.deepEqual((await create({ rule })).rule, rule);
    });

    it('mail filters are listed by priority, equal ones by creation, page by page (FILTER-3, FILTER-28)', async () => {
      const key = await newMailbox();
      const made = [];
      for (const priority of [5, -1, 5, 0, Number.MAX_SAFE_INTEGER, 5, Number.MIN_SAFE_INTEGER, 0]) {
        made.push(await create({ priority }, key));
      }
      const sorted = made.toSorted((a, b) => a.priority - b.priority);
      for (const limit of [1, 3, 8, 100]) {
        assert.deepEqual(await readPages(app, FILTERS, limit, { key }), sorted);
      }
      const { pagination } = (await app.get(FILTERS, { key })).json;
      assert.deepEqual(pagination, { next_cursor: '', has_more: false, limit: 25 });
      assert.equal((await app.get(`${FILTERS}?limit=1000`, { key })).json.pagination.limit, 100);
    });

    it('mail filters are refused with every problem named at once (FILTER-2, FILTER-5, FILTER-8, FILTER-10, FILTER-11, FILTER-17, FILTER-18, FILTER-20)', async () => {
      const answer = await app.post(FILTERS, {
        name: '',
        rule: {
          match: 'some',
          conditions: [
            { field: 'bcc', op: 'regex', value: 'x' },
            { field: 'header:', op: 'like', value: '' },
            { op: 'contains', value: 1, more: true },
            7,
          ],
          actions: [
            { type: 'move' },
            { type: 'set_flag' },
            { type: 'mark_read', folder: 'A', flag: 'read' },
            { type: 'move', folder: '/a', flag: 'urgent' },
            null,
          ],
        },
      });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json.error.code, 'validation_failed');
      const found = answer.json.error.details.errors.map(
        ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`,
      );
      assert.deepEqual(found.toSorted(), [
        '/name too_short',
        '/priority required',
        '/rule/actions/0/folder required',
        '/rule/actions/1/flag required',
        '/rule/actions/2/flag not_allowed',
        '/rule/actions/2/folder not_allowed',
        '/rule/actions/3/flag not_allowed',
        '/rule/actions/3/flag not_allowed',
        '/rule/actions/3/folder wrong_format',
        '/rule/actions/4 wrong_type',
        '/rule/conditions/0/field wrong_format',
        '/rule/conditions/0/op unsupported_operator',
        '/rule/conditions/1/field wrong_format',
        '/rule/conditions/1/op not_allowed',
        '/rule/conditions/1/value too_short',
        '/rule/conditions/2/field required',
        '/rule/conditions/2/more unknown_field',
        '/rule/conditions/2/value wrong_type',
        '/rule/conditions/3 wrong_type',
        '/rule/match not_allowed',
      ]);
    });

    it('mail filters with op regex are refused by their own code, where nothing else is wrong (API-41, FILTER-11)', async () => {
      const { id } = await create();
      const rule = { ...RULE, conditions: [CONDITION, { ...CONDITION, op: 'regex' }] };
      for (const answer of [
        await app.post(FILTERS, { ...FILTER, rule }),
        await app.put(`${FILTERS}/${id}`, { rule }),
        await app.put(`${FILTERS}/flt_unknown`, { rule }),
        await app.post(`${FILTERS}/preview`, { rule }),
      ]) {
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.json.error.code, 'unsupported_operator');
        assert.equal(answer.json.error.details.errors[0].pointer, '/rule/conditions/1/op');
      }
      const misplaced = { ...rule, actions: [{ type: 'discard', folder: 'x' }] };
      const { code, details } = (await app.post(FILTERS, { ...FILTER, rule: misplaced })).json.error;
      assert.equal(code, 'validation_failed');
      assert.deepEqual(
        details.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/rule/conditions/1/op', '/rule/actions/0/folder'],
      );
      const missing = { ...FILTER, rule, name: undefined };
      const { errors } = (await app.post(FILTERS, missing)).json.error.details;
      assert.deepEqual(
        errors.map(({ pointer, code: what }: { pointer: string; code: string }) => `${pointer} ${what}`),
        ['/name required', '/rule/conditions/1/op unsupported_operator'],
      );
    });

    it('mail filters belong to one user (API-119)', async () => {
      const { id } = await create();
      const stranger = await makeWorkspace(app);
      for (const key of [await newMailbox(), stranger.key]) {
        assert.deepEqual(data(await app.get(FILTERS, { key })), []);
        assert.equal((await app.get(`${FILTERS}/${id}`, { key })).status, 404);
        assert.equal((await app.put(`${FILTERS}/${id}`, { name: 'Mine' }, { key })).status, 404);
        assert.equal((await app.delete(`${FILTERS}/${id}`, { key })).status, 404);
      }
      assert.equal(data(await app.get(`${FILTERS}/${id}`)).name, FILTER.name);
    });

    it('are created once for a key', async () => {
      const key = await newMailbox();
      const options = { key, idempotencyKey: randomUUID() };
      const answers = await Promise.all([1, 2, 3].map(() => app.post(FILTERS, FILTER, options)));
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal(data(await app.get(FILTERS, { key })).length, 1);
    });

    it('mail filters are at most 2,000 of one mailbox (FILTER-32)', async () => {
      const key = await newMailbox();
      const { id } = await create({}, key);
      await app.services.database.write(async (tx) => {
        const row = await tx
          .selectFrom('mail_filters')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const rows = Array.from({ length: 1_998 }, (_, i) => ({ ...row, id: `${id}_${i}` }));
        for (let i = 0; i < rows.length; i += 100)
          await tx
            .insertInto('mail_filters')
            .values(rows.slice(i, i + 100))
            .execute();
      });
      await create({}, key);
      const { status, json } = await app.post(FILTERS, FILTER, { key });
      assert.deepEqual([status, json.error.code], [507, 'quota_exceeded']);
    });

    it('mail filters are at most 2,000 of 2,000,000 characters together (API-83, FILTER-32)', {
      timeout: 600_000,
    }, async () => {
      const key = await newMailbox();
      const value = 'x'.repeat(1_000);
      const rule = { ...RULE, conditions: Array.from({ length: 100 }, () => ({ ...CONDITION, value })) };
      const { id } = await create({}, key);
      const statuses = [];
      for (let i = 0; i < 20; i++)
        statuses.push((await app.post(FILTERS, { ...FILTER, rule }, { key })).status);
      assert.deepEqual(new Set(statuses.slice(0, 18)), new Set([201]));
      const refused = await app.put(`${FILTERS}/${id}`, { rule }, { key });
      assert.deepEqual([statuses.at(-1), refused.status], [507, 507]);
      assert.equal(refused.json.error.code, 'quota_exceeded');
      assert.deepEqual(data(await app.get(`${FILTERS}/${id}`, { key })).rule, RULE);
    });
  });
});
