/** The piece of a text that is shown of a hit, and what of it is highlighted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseQuery, shownWords } from '../../src/areas/search/query.ts';
import { snippetOf } from '../../src/areas/search/snippet.ts';
import { wordsOf } from '../../src/text/words.ts';
import { assertLinear } from '../growth.ts';

function searched(q: string) {
  const query = parseQuery(q);
  assert.ok('clauses' in query, q);
  return shownWords(query);
}

/** The snippet with its highlights in brackets. */
async function shown(q: string, ...texts: string[]): Promise<string> {
  const { snippet, highlights } = await snippetOf(texts, searched(q));
  let text = '';
  let at = 0;
  for (const [start, length] of highlights) {
    text += `${snippet.slice(at, start)}[${snippet.slice(start, start + length)}]`;
    at = start + length;
  }
  return text + snippet.slice(at);
}

const FILLER = 'bla '.repeat(100);

describe('a snippet', () => {
  for (const [q, text, expected] of [
    ['größe', 'Die GROSSE Größe, die Grössen', 'Die [GROSSE] [Größe], die Grössen'],
    ['invo*', 'Invoice  of\n\tinvolved  people ', '[Invoice] of [involved] people'],
    ['"b c"', 'b a b c c b, c', 'b a [b] [c] c [b], [c]'],
    ['"a a b"', 'a a a b', 'a [a] [a] [b]'],
    ['"a b*"', 'a bc a a b', '[a] [bc] a [a] [b]'],
    ['a@b.example', 'mail a@b.example or a@c.example', 'mail [a]@[b].[example] or a@c.example'],
    ['a "a b"', 'a b', '[a] [b]'],
    ['a -b', 'a b', '[a] b'],
    ['a is:unread', 'a unread', '[a] unread'],
    ['北京', '我们在北京开会。', '我们在[北京]开会。'],
    ['データ', 'ﾃﾞｰﾀを', '[ﾃﾞｰﾀ]を'],
    ['👍', 'so 👍🏽!', 'so [👍🏽]!'],
    ['cafe', 'Cafe\u0301!', '[Cafe\u0301]!'],
    ['1', '½', '[½]'],
    ['x', ' \n nothing\u00a0 here ', 'nothing here'],
    ['x', '', ''],
    ['is:unread', 'hello', 'hello'],
  ] as const)
    it(`highlights what was found: ${q} in ${JSON.stringify(text)} (SEARCH-4)`, async () =>
      assert.equal(await shown(q, text), expected));

  it('shows the first place where most of the words stand near each other (SEARCH-4)', async () => {
    assert.match(
      await shown('fox dog', `a fox ${FILLER} the dog and the fox ${FILLER} fox dog`),
      /the \[dog\] and the \[fox\] bla/,
    );
    assert.match(
      await shown('fox dog', `a fox ${FILLER} a dog ${FILLER} fox and dog`),
      /\[fox\] and \[dog\]$/,
    );
    assert.match(await shown('fox dog', `one fox ${FILLER} two fox`), /^one \[fox\] bla/);
    assert.match(await shown('fox "big dog"', `fox dog ${FILLER} big dog fox`), /\[big\] \[dog\] \[fox\]$/);
    assert.match(
      await shown('fox dog', 'the fox', 'the dog and the fox', 'dog fox'),
      /^the \[dog\] and the \[fox\]$/,
    );
    assert.equal(await shown('fox', '  ', 'a title', 'no match'), 'a title');
  });

  it('begins and ends between words, some words before the first that was found (SEARCH-4)', async () => {
    const text = `${'alpha beta '.repeat(50)}needle ${'gamma delta '.repeat(50)}`;
    const { snippet, highlights } = await snippetOf([text], searched('needle'));
    assert.match(snippet, /^(?:alpha|beta) .*beta needle gamma .*(?:gamma|delta)$/);
    assert.ok(snippet.length > 140 && snippet.length <= 160, String(snippet.length));
    assert.ok((highlights[0]?.[0] ?? 0) > 25);
  });

  it('of a script without blanks ends between words too (SEARCH-4)', async () => {
    const { snippet } = await snippetOf(['我们在北京开会'.repeat(100)], searched('上海'));
    assert.ok(snippet.length > 150 && snippet.length <= 160);
    assert.match(snippet, /(?:我们|在|北京|开会)$/);
  });

  it('has about 160 characters, however many blanks stand between them', async () => {
    const { snippet } = await snippetOf([`word${'     '.repeat(3)}`.repeat(100)], searched('nothing'));
    assert.ok(snippet.length > 140 && snippet.length <= 160);
  });

  it('shows a word that is longer than a snippet as far as it goes', async () => {
    const { snippet, highlights } = await snippetOf(
      [`${FILLER}${'w'.repeat(3_000)} end`],
      searched(`${'w'.repeat(70)}*`),
    );
    const [[start, length] = [0, 0]] = highlights;
    assert.match(snippet.slice(start, start + length), /^w{100,160}$/);
  });

  it('finds a word that stands far behind, in the first million characters', async () => {
    const behind = (length: number) => shown('needle', `${'blabla '.repeat(length / 7)}needle`);
    assert.match(await behind(990_000), /\[needle\]$/);
    assert.doesNotMatch(await behind(1_010_000), /needle/);
  });

  it('of any text has highlights in order, between whole characters, on words that were searched for', async () => {
    const unit = fc.constantFrom(
      'fox ',
      'Dog',
      ' ',
      '\n\n',
      'big',
      'größe',
      '北京',
      '开会',
      'ก',
      'น้ำ',
      '🎉',
      '👩🏽‍💻',
      '🇩🇪',
      'e\u0301',
      '-',
      'x'.repeat(50),
    );
    const texts = fc.array(fc.string({ unit, maxLength: 120 }), { maxLength: 3 });
    const query = fc.constantFrom(
      'fox',
      'dog OR big',
      '"big dog" fo*',
      '北京 groesse',
      '👩‍💻 🇩🇪',
      'x* e',
      'น้ำ',
    );
    const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    await fc.assert(
      fc.asyncProperty(texts, query, async (all, q) => {
        const wanted = searched(q);
        const { snippet, highlights } = await snippetOf(all, wanted);
        assert.ok(snippet.length <= 160 && snippet.isWellFormed());
        assert.doesNotMatch(snippet, /\s\s|^\s|\s$/u);
        const whole = all.map((text) => text.replace(/\s+/g, ' '));
        const text = whole.find((one) => one.includes(snippet));
        assert.ok(text !== undefined || snippet === '');
        const at = text?.indexOf(snippet) ?? 0;
        const cuts = new Set(Array.from(graphemes.segment(snippet), ({ index }) => index)).add(
          snippet.length,
        );
        const cutsOfText = new Set(Array.from(graphemes.segment(text ?? ''), ({ index }) => index)).add(
          text?.length ?? 0,
        );
        assert.ok(cutsOfText.has(at));
        let end = 0;
        for (const [start, length] of highlights) {
          assert.ok(start >= end && length > 0);
          end = start + length;
          assert.ok(end <= snippet.length && cuts.has(start) && cuts.has(end));
          const words = Array.from(wordsOf(snippet.slice(start, end)), ({ word }) => word);
          assert.ok(
            wanted.some((one) => one.words.some((word) => words.some((found) => found.startsWith(word)))),
          );
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is made in a time that grows with the text and no faster, for any phrase', async () => {
    const phrase = searched(`"${'a '.repeat(300)}b" ${'a* '.repeat(30)}`);
    for (const unit of ['a ', 'a', ' ', 'a b ', '\u0301', '京', '🎉', 'ab,\n'])
      await assertLinear(
        `a snippet of ${unit}`,
        (size) => [unit.repeat(size / 4)],
        (texts) => snippetOf(texts, phrase),
      );
  });

  it('of a phrase that stands at every word takes little memory', async () => {
    const query = searched(`"${'a '.repeat(480)}" OR nowhere`);
    const { highlights } = await snippetOf(['a '.repeat(500_000)], query);
    assert.equal(highlights.length, 80);
  });

  it('lets others work while a long text is read', async () => {
    const query = searched(Array.from({ length: 60 }, (_, i) => `w${i}*`).join(' OR '));
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    await snippetOf(['w1 w2 w3 '.repeat(100_000)], query);
    clearInterval(count);
    assert.ok(turns > 10, String(turns));
  });
});
