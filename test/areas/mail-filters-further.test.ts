/** Conditions on attachments, size and mailing lists, and labels that filters add. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { greeted } from '../doors/raw-smtp.ts';
import { inboxOf } from '../doors/smtp-world.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { append, folderOf } from './mail-world.ts';

const LIST = 'List-Id: Engines, "analytical" <engines.example.org>';
const plain = (headers: string[] = [], body = 'x') =>
  `${['Subject: m', ...headers].join('\r\n')}\r\n\r\n${body}\r\n`;
const ATTACHED = plain(
  ['Content-Type: multipart/mixed; boundary=b'],
  '--b\r\n\r\nhi\r\n--b\r\nContent-Type: application/pdf\r\n\r\nx\r\n--b--',
);

type Condition = Record<string, unknown>;

forEachEngine((engine) => {
  describe('further conditions and actions of filters', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const ruleOf = (conditions: Condition[], actions: Condition[] = [{ type: 'mark_read' }]) => ({
      rule: { conditions, actions },
    });
    let runs = 0;
    /** Whether a condition holds when the message arrives, and whether it holds of the stored message. */
    const holds = async (condition: Condition, raw: string) => {
      const label = `run ${++runs}`;
      const filter = await app.post('/v1/mail/filters', {
        ...{ name: 'f', priority: 1 },
        ...ruleOf([condition], [{ type: 'add_label', label }]),
      });
      assert.equal(filter.status, 201, filter.text);
      const delivered = await deliver(app, raw);
      await app.delete(`/v1/mail/filters/${filter.json.data.id}`);
      const folder = await folderOf(app, 'junk');
      const { id } = await append(app, folder, raw);
      const { messages } = (
        await app.post('/v1/mail/filters/preview', { ...ruleOf([condition]), folder_id: folder, limit: 100 })
      ).json.data;
      return [
        delivered.labels.includes(label),
        messages.some((message: { id: string }) => message.id === id),
      ];
    };

    const cases: [name: string, condition: Condition, raw: string, expected: boolean][] = [
      ['FILTER-38', { field: 'has_attachment' }, ATTACHED, true],
      ['FILTER-38', { field: 'has_attachment', op: 'equals', value: true }, plain(), false],
      ['FILTER-38', { field: 'has_attachment', op: 'equals', value: 'true' }, ATTACHED, true],
      ['FILTER-38', { field: 'has_attachment', op: 'equals', value: 'false' }, plain(), true],
      ['FILTER-38', { field: 'has_attachment', op: 'equals', value: false }, ATTACHED, false],
      ['FILTER-37', { field: 'size', op: 'larger_than', value: 3_000 }, plain([], 'x'.repeat(3_000)), true],
      ['FILTER-37', { field: 'size', op: 'larger_than', value: '3000' }, plain(), false],
      ['FILTER-37', { field: 'size', op: 'smaller_than', value: '3000' }, plain(), true],
      ['FILTER-37', { field: 'size', op: 'smaller_than', value: 3_000 }, plain([], 'x'.repeat(3_000)), false],
      ['FILTER-39', { field: 'list', op: 'equals', value: 'ENGINES.example.org' }, plain([LIST]), true],
      ['FILTER-39', { field: 'list', op: 'contains', value: 'analytical' }, plain([LIST]), true],
      ['FILTER-39', { field: 'list', op: 'ends_with', value: 'example.org' }, plain([LIST]), true],
      [
        'FILTER-39',
        { field: 'list', op: 'starts_with', value: 'engines.' },
        plain(['X-List-Id: <engines.>']),
        false,
      ],
      [
        'FILTER-14',
        { field: 'from', op: 'equals', value: 'S, T <s@x.test>' },
        plain(['From: "S, T" <s@x.test>']),
        true,
      ],
      [
        'FILTER-14',
        { field: 'from', op: 'equals', value: '"S, T" <s@x.test>' },
        plain(['From: "S, T" <s@x.test>']),
        true,
      ],
      [
        'FILTER-14',
        { field: 'to', op: 'equals', value: 's@x.test' },
        plain(['To: "a@b.test" <s@x.test>']),
        true,
      ],
      [
        'FILTER-14',
        { field: 'to', op: 'equals', value: 'a@b.test' },
        plain(['To: "a@b.test" <s@x.test>']),
        false,
      ],
    ];
    for (const [rule, condition, raw, expected] of cases)
      it(`${JSON.stringify(condition)} ${expected ? 'holds' : 'does not hold'} on arrival and later (${rule})`, async () =>
        assert.deepEqual(await holds(condition, raw), [expected, expected]));

    it('a size is compared without its limit (FILTER-37)', async () => {
      const folder = await folderOf(app, 'archive');
      const { size } = await append(app, folder, plain());
      const matched = async (op: string, value: number) =>
        (
          await app.post('/v1/mail/filters/preview', {
            ...ruleOf([{ field: 'size', op, value }]),
            folder_id: folder,
          })
        ).json.data.matched;
      assert.deepEqual([await matched('larger_than', size), await matched('smaller_than', size)], [0, 0]);
      assert.deepEqual(
        [await matched('larger_than', size - 1), await matched('smaller_than', size + 1)],
        [1, 1],
      );
    });

    it('labels of all filters that match accumulate, and the record tells them (FILTER-17, FILTER-40)', async () => {
      const made = [];
      for (const [priority, labels] of [
        [2, ['b', 'a']],
        [1, ['a', 'ü 1']],
      ] as const)
        made.push(
          await app.post('/v1/mail/filters', {
            ...{ name: 'l', priority },
            ...ruleOf(
              [{ field: 'subject', op: 'equals', value: 'labelled' }],
              labels.map((label) => ({ type: 'add_label', label })),
            ),
          }),
        );
      const { id, labels } = await deliver(app, 'Subject: labelled\r\n\r\nx\r\n');
      assert.deepEqual(labels, ['a', 'ü 1', 'b']);
      const { applied_filters } = (await app.get(`/v1/messages/${id}`)).json.data;
      assert.deepEqual(applied_filters[0].actions, [
        { type: 'add_label', label: 'a' },
        { type: 'add_label', label: 'ü 1' },
      ]);
      assert.equal((await app.get('/v1/messages?label=b')).json.data[0].id, id);
      for (const { json } of made) await app.delete(`/v1/mail/filters/${json.data.id}`);
    });

    it('a message gets as many labels on arrival as it may carry, the first ones (FILTER-40, MAIL-18)', async () => {
      const ids = [];
      for (let i = 0; i < 6; i++) {
        const actions = Array.from({ length: 20 }, (_, k) => ({ type: 'add_label', label: `${i}-${k}` }));
        const body = {
          ...{ name: 'many', priority: i },
          ...ruleOf([{ field: 'subject', op: 'equals', value: 'many' }], actions),
        };
        ids.push((await app.post('/v1/mail/filters', body)).json.data.id);
      }
      const { labels } = await deliver(app, 'Subject: many\r\n\r\nx\r\n');
      assert.equal(labels.length, 100);
      assert.deepEqual([labels[0], labels[99]], ['0-0', '4-19']);
      for (const id of ids) await app.delete(`/v1/mail/filters/${id}`);
    });

    it('labels are added to mail that is there, or all of it stays as it is (FILTER-35, FILTER-40)', async () => {
      const folder = (await app.post('/v1/folders', { name: 'Apply' })).json.data.id;
      const one = await append(app, folder, plain(), { query: '?label=x' });
      const filter = (
        await app.post('/v1/mail/filters', {
          ...{ name: 'l', priority: 1 },
          ...ruleOf([{ field: 'subject', op: 'equals', value: 'm' }], [{ type: 'add_label', label: 'more' }]),
        })
      ).json.data.id;
      const apply = () => app.post(`/v1/mail/filters/${filter}/apply`, { folder_id: folder });
      assert.deepEqual((await apply()).json.data, { scanned: 1, matched: 1, changed: 1 });
      assert.deepEqual((await apply()).json.data, { scanned: 1, matched: 1, changed: 0 });
      assert.deepEqual((await app.get(`/v1/messages/${one.id}`)).json.data.labels, ['x', 'more']);
      const query = `?${Array.from({ length: 100 }, (_, i) => `label=l${i}`).join('&')}`;
      await append(app, folder, plain(), { query });
      const other = await append(app, folder, plain());
      const refused = await apply();
      assert.deepEqual([refused.status, refused.json.error.code], [400, 'validation_failed']);
      assert.deepEqual((await app.get(`/v1/messages/${other.id}`)).json.data.labels, []);
      await app.delete(`/v1/mail/filters/${filter}`);
    });

    it('conditions and actions that do not fit are told where (FILTER-8, FILTER-37, FILTER-38, FILTER-40)', async () => {
      const refusals: [Condition[], Condition[], string][] = [
        [[{ field: 'size', op: 'contains', value: '1' }], [], '/rule/conditions/0/op'],
        [[{ field: 'size', op: 'larger_than', value: 'big' }], [], '/rule/conditions/0/value'],
        [[{ field: 'size', op: 'larger_than', value: -1 }], [], '/rule/conditions/0/value'],
        [[{ field: 'size', op: 'larger_than' }], [], '/rule/conditions/0/value'],
        [[{ field: 'size', value: 1 }], [], '/rule/conditions/0/op'],
        [[{ field: 'has_attachment', op: 'contains', value: true }], [], '/rule/conditions/0/op'],
        [[{ field: 'has_attachment', value: 'yes' }], [], '/rule/conditions/0/value'],
        [[{ field: 'subject', op: 'larger_than', value: 'x' }], [], '/rule/conditions/0/op'],
        [[{ field: 'subject', op: 'contains', value: 5 }], [], '/rule/conditions/0/value'],
        [[{ field: 'subject', op: 'contains', value: true }], [], '/rule/conditions/0/value'],
        [[{ field: 'subject', op: 'contains' }], [], '/rule/conditions/0/value'],
        [[{ field: 'list', value: 'x' }], [], '/rule/conditions/0/op'],
        [[], [{ type: 'add_label' }], '/rule/actions/0/label'],
        [[], [{ type: 'add_label', label: '\\Seen' }], '/rule/actions/0/label'],
        [[], [{ type: 'mark_read', label: 'x' }], '/rule/actions/0/label'],
      ];
      const [condition, action] = [{ field: 'subject', op: 'contains', value: 'x' }, { type: 'mark_read' }];
      for (const [conditions, actions, pointer] of refusals) {
        const rule = {
          conditions: conditions.length > 0 ? conditions : [condition],
          actions: actions.length > 0 ? actions : [action],
        };
        const { status, json, text } = await app.post('/v1/mail/filters', { name: 'f', priority: 1, rule });
        assert.equal(status, 400, `${JSON.stringify(rule)} ${text}`);
        assert.ok(
          json.error.details.errors.some((error: { pointer: string }) => error.pointer.startsWith(pointer)),
          text,
        );
      }
    });
  });
});

/** Delivers by SMTP, and answers the summary of what has come. */
async function deliver(app: TestApp, raw: string) {
  const client = await greeted(app.smtp.port);
  const reply = await client.transact(['owner@localhost'], raw);
  assert.equal(reply.code, 250, reply.lines.join());
  client.close();
  const [newest] = await inboxOf(app);
  return newest;
}
