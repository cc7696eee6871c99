import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FLAGS, type Flag, flagSet } from '../../src/areas/mail/changes/flags.ts';
import {
  changedFlags,
  combinedResult,
  evaluate,
  matcherOf,
} from '../../src/areas/mail/filters/evaluation.ts';
import { type FilteredMessage, filteredMessage } from '../../src/areas/mail/filters/filtered-message.ts';
import { MessageTexts } from '../../src/areas/mail/filters/message-texts.ts';
import type { Action, Condition, Rule } from '../../src/areas/mail/filters/schema.ts';
import { parseMessage } from '../../src/formats/messages/parse.ts';
import { fold } from '../../src/text/fold.ts';

const MESSAGE: FilteredMessage = {
  from: ['Ada Lovelace <ada@example.org>'],
  to: ['Charles Babbage <charles@example.org>', 'team@example.org'],
  cc: [],
  subject: 'Die Straße nach ΟΔΟΣ',
  text: 'First line\nsecond line\n',
  html: '<p>First <b>li</b>ne &amp; more</p><p>second\nline</p>',
  headers: [
    { name: 'x-tag', value: 'one' },
    { name: 'x-tag', value: 'two' },
    { name: 'list-id', value: 'Engines <engines.example.org>' },
  ],
  bytes: 1_000,
  hasAttachments: false,
};

function matches(rule: Partial<Rule>, message: FilteredMessage = MESSAGE): boolean {
  const filter = { id: 'flt_1', name: 'f', rule: { conditions: [], actions: [], ...rule } };
  return (
    evaluate([{ filter, matches: matcherOf(filter.rule) }], new MessageTexts(message)).matching.length === 1
  );
}

function holds(field: string, op: Condition['op'], value: string, message?: FilteredMessage): boolean {
  return matches({ conditions: [{ field, op, value }] }, message);
}

const HOLDING: [field: string, op: Condition['op'], value: string][] = [
  ['from', 'equals', 'ADA@EXAMPLE.ORG'],
  ['from', 'equals', 'ada lovelace <ada@example.org>'],
  ['from', 'starts_with', 'ada@'],
  ['from', 'starts_with', 'Ada L'],
  ['from', 'ends_with', '@example.org'],
  ['from', 'contains', 'lace <ada'],
  ['to', 'equals', 'team@example.org'],
  ['to', 'equals', 'charles@example.org'],
  ['to', 'contains', 'BABBAGE'],
  ['subject', 'contains', 'STRASSE'],
  ['subject', 'ends_with', 'οδος'],
  ['subject', 'equals', 'die strasse nach οδοσ'],
  ['subject', 'starts_with', 'DIE'],
  ['body', 'contains', 'line\nsecond'],
  ['body', 'equals', 'First line\nsecond line'],
  ['body', 'equals', 'First line\nsecond line\n'],
  ['body', 'ends_with', 'second line'],
  ['body', 'contains', 'first line & more second line'],
  ['header:x-tag', 'equals', 'one'],
  ['header:X-TAG', 'equals', 'TWO'],
  ['header:List-Id', 'contains', '<engines.'],
];

const NOT_HOLDING: typeof HOLDING = [
  ['from', 'equals', 'ada'],
  ['from', 'ends_with', 'ada@example.orgs'],
  ['to', 'equals', 'ada@example.org'],
  ['to', 'contains', 'babbage <charles@example.org>team'],
  ['cc', 'contains', 'a'],
  ['subject', 'starts_with', 'straße'],
  ['body', 'contains', '<b>'],
  ['body', 'contains', '&amp;'],
  ['body', 'equals', 'First line'],
  ['header:x-tag', 'contains', 'onetwo'],
  ['header:x-ta', 'contains', 'o'],
  ['header:subject', 'contains', 'Die'],
  ['subject', 'regex', 'Die'],
];

describe('a condition', () => {
  for (const [field, op, value] of HOLDING) {
    it(`holds: ${field} ${op} ${JSON.stringify(value)} (FILTER-9, FILTER-10, FILTER-13, FILTER-14, FILTER-15, FILTER-16)`, () =>
      assert.ok(holds(field, op, value)));
  }
  for (const [field, op, value] of NOT_HOLDING) {
    it(`does not hold: ${field} ${op} ${JSON.stringify(value)} (FILTER-14, FILTER-15, FILTER-16)`, () =>
      assert.ok(!holds(field, op, value)));
  }

  it('a condition sees encoded words and bytes of a charset decoded, in addresses and named headers too (FILTER-14, FILTER-15, FILTER-16)', async () => {
    const raw = [
      'From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>',
      'X-Note: =?iso-8859-1?Q?caf=E9?=',
      'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
      'Content-Type: text/html; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>Br=FC<b>cke</b></p><script>hidden()</script>',
    ].join('\r\n');
    const message = filteredMessage(await parseMessage(Buffer.from(raw)), raw.length);
    assert.ok(holds('from', 'contains', 'JÜRGEN', message));
    assert.ok(holds('header:x-note', 'equals', 'CAFÉ', message));
    assert.ok(holds('subject', 'equals', 'GRÜSSE', message));
    assert.ok(holds('body', 'contains', 'BRÜCKE', message));
    assert.ok(!holds('body', 'contains', 'hidden', message));
    assert.ok(!holds('body', 'contains', '<p', message));
  });

  it('looks at the address that ends a line, not at one within a name', () => {
    const message = { ...MESSAGE, from: ['<eve@example.org> Ada <ada@example.org>'] };
    assert.ok(holds('from', 'equals', 'ada@example.org', message));
    assert.ok(!holds('from', 'equals', 'eve@example.org', message));
  });

  it('a condition is one of all by default, and of any where the rule says so (FILTER-6)', () => {
    const [one, other]: Condition[] = [
      { field: 'subject', op: 'contains', value: 'straße' },
      { field: 'subject', op: 'contains', value: 'nowhere' },
    ];
    assert.ok(one && other);
    assert.ok(matches({ conditions: [one] }));
    assert.ok(!matches({ conditions: [one, other] }));
    assert.ok(!matches({ match: 'all', conditions: [one, other] }));
    assert.ok(matches({ match: 'any', conditions: [other, one] }));
    assert.ok(!matches({ match: 'any', conditions: [other, other] }));
  });
});

describe('the texts of a message', () => {
  it('are as large as all that conditions can be about', () => {
    const { subject, text, html } = MESSAGE;
    const headers = [{ name: 'x', value: 'four' }];
    const { size } = new MessageTexts({ ...MESSAGE, from: ['a'], to: ['b', 'c'], cc: [], headers });
    assert.equal(size, subject.length + text.length + html.length + 3 + 4);
  });

  it('are read once for all conditions', () => {
    const texts = new MessageTexts(MESSAGE);
    for (const field of ['from', 'subject', 'body', 'header:x-tag'])
      assert.equal(texts.of(field), texts.of(field));
  });

  it('are none of HTML where it has none', () => {
    const forms = (html: string) => new MessageTexts({ ...MESSAGE, text: 'one\n', html }).of('body').forms;
    assert.deepEqual(forms(''), ['one\n', 'one']);
    assert.deepEqual(forms('<p>two'), ['one\n', 'two', 'one', 'two']);
  });
});

/** The texts of the four small letters occur in each other often, so that conditions hold often enough. */
const text = fc.string({ unit: fc.constantFrom('a', 'B', 'ß', ' '), maxLength: 6 });
const address = fc
  .tuple(text, fc.constantFrom('a@b', 'AB@ss', 'b@a.b'))
  .map(([name, bare]) => (name ? `${name} <${bare}>` : bare));
const anyMessage: fc.Arbitrary<FilteredMessage> = fc.record({
  from: fc.array(address, { maxLength: 1 }),
  to: fc.array(address, { maxLength: 3 }),
  cc: fc.array(address, { maxLength: 2 }),
  subject: text,
  text,
  html: fc.constant(''),
  headers: fc.array(fc.record({ name: fc.constantFrom('x-a', 'x-b'), value: text }), { maxLength: 3 }),
  bytes: fc.constant(0),
  hasAttachments: fc.constant(false),
});
const condition: fc.Arbitrary<Condition> = fc.record({
  field: fc.constantFrom('from', 'to', 'cc', 'subject', 'body', 'header:X-A', 'header:x-b'),
  op: fc.constantFrom('contains', 'equals', 'starts_with', 'ends_with'),
  value: fc.oneof(
    fc.string({ unit: fc.constantFrom('A', 'b', 's', ' '), minLength: 1, maxLength: 3 }),
    address,
  ),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('x', 'x/y', 'z').map((folder) => ({ type: 'move' as const, folder })),
  },
  { weight: 5, arbitrary: fc.constantFrom(...FLAGS).map((flag) => ({ type: 'set_flag' as const, flag })) },
  { weight: 5, arbitrary: fc.constantFrom('mark_read', 'mark_unread').map((type) => ({ type })) },
  { weight: 1, arbitrary: fc.constant({ type: 'discard' as const }) },
) as fc.Arbitrary<Action>;
const rule: fc.Arbitrary<Rule> = fc.record(
  {
    match: fc.constantFrom('all', 'any'),
    conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
    actions: fc.array(action, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ['conditions', 'actions'] },
);

/** What a condition means, said as plainly as can be. */
function naiveHolds({ field, op, value }: Condition, message: FilteredMessage): boolean {
  const name = field.replace(/^header:/, '').toLowerCase();
  const texts = field.startsWith('header:')
    ? message.headers.filter((header) => header.name === name).map((header) => header.value)
    : {
        from: message.from.flatMap(bothForms),
        to: message.to.flatMap(bothForms),
        cc: message.cc.flatMap(bothForms),
        subject: [message.subject],
        body: [message.text, message.text.trim()],
      }[field as 'from' | 'to' | 'cc' | 'subject' | 'body'];
  const wanted = fold(String(value));
  return texts.map(fold).some((folded) => {
    if (op === 'contains') return folded.includes(wanted);
    if (op === 'equals') return folded === wanted;
    return op === 'starts_with' ? folded.startsWith(wanted) : folded.endsWith(wanted);
  });
}

function bothForms(formatted: string): string[] {
  return [formatted, formatted.replace(/^.* <|>$/g, '')];
}

describe('evaluating', () => {
  it('evaluating agrees with the rules applied one after another (FILTER-22, FILTER-23, FILTER-24, FILTER-25)', () => {
    let matched = 0;
    const property = fc.property(fc.array(rule, { maxLength: 6 }), anyMessage, (rules, message) => {
      const filters = rules.map((given, i) => ({ id: `flt_${i}`, name: `${i}`, rule: given }));
      const outcome = evaluate(
        filters.map((filter) => ({ filter, matches: matcherOf(filter.rule) })),
        new MessageTexts(message),
      );
      const matching = filters.filter(({ rule: { match, conditions } }) =>
        match === 'any'
          ? conditions.some((each) => naiveHolds(each, message))
          : conditions.every((each) => naiveHolds(each, message)),
      );
      matched += matching.length;
      assert.deepEqual(outcome.matching, matching);
      let [folder, discarded] = [undefined as string | undefined, false];
      // Whatever the flags were, they end as when each action is done in turn.
      const flags = new Map<Flag, boolean>();
      for (const { type, folder: to, flag } of matching.flatMap((filter) => filter.rule.actions)) {
        if (type === 'discard') discarded = true;
        if (type === 'move') folder = to;
        if (type === 'mark_read') flags.set('read', true);
        if (type === 'mark_unread') flags.set('read', false);
        if (type === 'set_flag' && flag) flags.set(flag, true);
      }
      assert.equal(outcome.discarded, discarded);
      assert.equal(outcome.folder, folder);
      for (const before of [[], [...FLAGS]]) {
        const expected = FLAGS.filter((flag) => flags.get(flag) ?? before.includes(flag));
        assert.equal(changedFlags(flagSet(before), outcome.flags), flagSet(expected));
      }
    });
    fc.assert(property, { numRuns: 2_000 });
    assert.ok(matched > 200, `only ${matched} filters matched`);
  });

  it('makes nothing of a message that no filter matches', () => {
    const nothing = {
      matching: [],
      discarded: false,
      folder: undefined,
      flags: { add: 0, remove: 0 },
      labels: [],
    };
    assert.deepEqual(evaluate([], new MessageTexts(MESSAGE)), nothing);
  });

  it('sets a flag where the action is to set it, and nowhere else', () => {
    const flagsOf = (action: Action) =>
      combinedResult([{ id: 'flt_1', name: 'f', rule: { conditions: [], actions: [action] } }]).flags;
    assert.deepEqual(flagsOf({ type: 'set_flag', flag: 'starred' }), {
      add: flagSet(['starred']),
      remove: 0,
    });
    assert.deepEqual(flagsOf({ type: 'discard', flag: 'starred' }), { add: 0, remove: 0 });
    assert.deepEqual(flagsOf({ type: 'set_flag' }), { add: 0, remove: 0 });
  });
});
