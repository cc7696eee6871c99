/** How a query is read: words, phrases, beginnings, negation, OR, operators, and what says nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Atom, parseQuery, type Query, shownWords } from '../../src/areas/search/query.ts';
import { wordsOf } from '../../src/text/words.ts';
import { assertLinear } from '../growth.ts';

function parsed(q: string): Query {
  const query = parseQuery(q);
  assert.ok('clauses' in query, `${q}: ${JSON.stringify(query)}`);
  return query;
}

function atomText(atom: Atom): string {
  switch (atom.type) {
    case 'words':
      return `${atom.field ?? ''}[${atom.words.join(' ')}${atom.isPrefix ? '*' : ''}]`;
    case 'is':
      return `is=${atom.is}`;
    case 'kind':
      return `kind=${atom.kind}`;
    case 'before':
    case 'after':
      return `${atom.type}=${new Date(atom.at).toISOString()}`;
    case 'larger':
    case 'smaller':
      return `${atom.type}=${atom.bytes}`;
    case 'has_attachment':
      return 'has_attachment';
    default:
      return `${atom.type}=${atom.value}`;
  }
}

/** A query as a text: clauses side by side, literals with "|". */
const shown = (q: string) =>
  parsed(q)
    .clauses.map((clause) =>
      clause.map(({ isNegated, atom }) => `${isNegated ? '!' : ''}${atomText(atom)}`).join('|'),
    )
    .join(' ');

describe('a query', () => {
  for (const [rule, cases] of Object.entries({
    'joins words by and, with phrases, beginnings and negation (SEARCH-14)': [
      ['invoice march', '[invoice] [march]'],
      ['  Größe\t\u3000CAFÉ ', '[grosse] [cafe]'],
      ['"Paid on time" x', '[paid on time] [x]'],
      ['"never closed', '[never closed]'],
      ['“typed on a phone” „auch so“', '[typed on a phone] [auch so]'],
      ['invo*', '[invo*]'],
      ['"on ti*" "on ti"*', '[on ti*] [on ti*]'],
      ['a -b -"c d" -e*', '[a] ![b] ![c d] ![e*]'],
      ['a --b', '[a] ![b]'],
      ['a - b', '[a] [b]'],
      ['*a a* a*b a-* **', '[a] [a*] [a b] [a]'],
      ['a\u00ad* 👩\u200d*', '[a*] [👩*]'],
      ['a"b c"d', '[a] [b c] [d]'],
    ],
    'binds OR more tightly than the and (SEARCH-15)': [
      ['a b OR c', '[a] [b]|[c]'],
      ['a OR b OR -c d', '[a]|[b]|![c] [d]'],
      ['a OR "b c" OR from:d', '[a]|[b c]|from[d]'],
      ['a or b', '[a] [or] [b]'],
      ['"OR" -OR a', '[or] ![or] [a]'],
      ['OR a', '[a]'],
      ['a OR', '[a]'],
      ['a OR OR b', '[a]|[b]'],
      ['a OR !!! b', '[a] [b]'],
      ['a !!! OR b', '[a] [b]'],
      ['a ... b', '[a] [b]'],
      ['-a OR b', '![a]|[b]'],
    ],
    'takes several words without a blank for a phrase (SEARCH-16)': [
      ['ada@example.org', '[ada example org]'],
      ['foo-bar', '[foo bar]'],
      ['re:zero', '[re zero]'],
      ['http://a.b/c', '[http a b c]'],
      ['在北京', '[在 北京]'],
      ['12:30', '[12 30]'],
    ],
    'limits words to a field (SEARCH-17)': [
      ['from:ada To:b CC:c', 'from[ada] to[b] cc[c]'],
      ['subject:"a b" body:x* filename:a.pdf', 'subject[a b] body[x*] filename[a pdf]'],
      ['-from:ada@example.org x', '!from[ada example org] [x]'],
      ['subject:"a b"*', 'subject[a b*]'],
    ],
    'knows states, attachments and labels (SEARCH-18)': [
      ['is:unread IS:Starred is:answered is:read', 'is=unread is=starred is=answered is=read'],
      ['has:attachment -has:Attachment', 'has_attachment !has_attachment'],
      ['label:work label:"to do"', 'label=work label=to do'],
    ],
    'knows places (SEARCH-19)': [['in:trash in:"My folder"', 'in=trash in=My folder']],
    'knows times (SEARCH-20)': [
      ['before:2026', 'before=2026-01-01T00:00:00.000Z'],
      ['after:2026-02', 'after=2026-02-01T00:00:00.000Z'],
      ['after:2024-02-29', 'after=2024-02-29T00:00:00.000Z'],
      ['before:2026-01-31T10:00:00+02:00', 'before=2026-01-31T08:00:00.000Z'],
      ['before:"2026-01-31t10:00:00.5z"', 'before=2026-01-31T10:00:00.500Z'],
    ],
    'knows sizes (SEARCH-21)': [
      ['larger:10 smaller:2k', 'larger=10 smaller=2048'],
      ['larger:1.5M larger:1MB larger:1MiB', 'larger=1572864 larger=1048576 larger=1048576'],
      ['smaller:3G smaller:7B', 'smaller=3221225472 smaller=7'],
      ['smaller:999999999999999G', `smaller=${Number.MAX_SAFE_INTEGER}`],
    ],
    'knows kinds and owners (SEARCH-22)': [
      ['kind:File owner:me', 'kind=file owner=me'],
      ['owner:ada@example.org', 'owner=ada@example.org'],
    ],
    'takes for text what is no operator (SEARCH-23)': [
      ['colour:red', '[colour red]'],
      ['colour:"red blue"', '[colour red blue]'],
      ['is:weird', '[is weird]'],
      ['has:legs', '[has legs]'],
      ['kind:mail', '[kind mail]'],
      ['before:yesterday', '[before yesterday]'],
      ['before:2026-02-30', '[before 2026 02 30]'],
      ['after:2026-13', '[after 2026 13]'],
      ['after:2026-01-01T10:00:00', '[after 2026 01 01t10 00 00]'],
      ['larger:big', '[larger big]'],
      ['larger:5iB', '[larger 5ib]'],
      ['larger:-5', '[larger 5]'],
      ['from: ada', '[from] [ada]'],
      ['from:""', '[from]'],
      ['label: x', '[label] [x]'],
      ['__proto__:x constructor:y', '[proto x] [constructor y]'],
    ],
  } as const))
    for (const [q, expected] of cases)
      it(`${rule.replace(/ \(SEARCH-\d+\)$/, '')}: ${q} ${/\(SEARCH-\d+\)$/.exec(rule)?.[0]}`, () =>
        assert.equal(shown(q), expected));

  for (const q of [
    '',
    ' ',
    '"',
    '""',
    '!?',
    '*',
    '-',
    'OR',
    '-a',
    '-a -"b c" -is:unread',
    '-a OR -b',
    '... -a',
  ])
    it(`says nothing: ${JSON.stringify(q)} (SEARCH-24)`, () => {
      const query = parseQuery(q);
      assert.ok('problem' in query);
      assert.match(query.problem, /^Give at least one word/);
    });

  it('has at most 64 conditions (SEARCH-24)', () => {
    assert.equal(parsed('a '.repeat(64)).clauses.length, 64);
    assert.deepEqual(parseQuery('a OR -b '.repeat(33)), { problem: 'Give at most 64 words and operators.' });
  });

  it('shows the words that it wants, and not those that it does not', () => {
    const words = shownWords(parsed('a -b "c d" OR e* from:f is:unread'));
    assert.deepEqual(words.map(atomText), ['[a]', '[c d]', '[e*]', 'from[f]']);
  });

  it('of any text is read or refused, and only into words as they are compared', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'OR',
        '-',
        '"',
        '*',
        ':',
        ' ',
        'from:',
        'is:',
        'unread',
        'before:',
        '2026-01',
        'larger:',
        '5M',
        'label:',
        'é',
        '京',
        'invoice',
        '🎉',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const query = parseQuery(pieces.join(''));
        if ('problem' in query) return;
        assert.ok(query.clauses.length > 0 && query.clauses.every((clause) => clause.length > 0));
        assert.ok(query.clauses.flat().some(({ isNegated }) => !isNegated));
        for (const { atom } of query.clauses.flat()) {
          if (atom.type !== 'words') continue;
          assert.ok(atom.words.length > 0);
          for (const word of atom.words)
            assert.ok(Array.from(wordsOf(word), (one) => one.word).includes(word), word);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('is read in a time that grows with it and no faster', async () => {
    for (const unit of [
      'a',
      'a:',
      '-',
      '"',
      '*',
      'a ',
      'OR ',
      'from:',
      '- ',
      '“',
      'is:"',
      'before:2026-',
      'ア',
      '\u0301',
    ])
      await assertLinear(`reading ${unit}`, (size) => unit.repeat(size), parseQuery);
  });
});
