/** What a search takes for a word, and which words it takes for the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LONGEST_WORD, wordsOf } from '../../src/text/words.ts';
import { assertLinear } from '../growth.ts';

const words = (text: string) => Array.from(wordsOf(text), ({ word }) => word);
/** The words as the text has them. */
const places = (text: string) =>
  Array.from(wordsOf(text), ({ start, length }) => text.slice(start, start + length));

const assertAlike = (...texts: string[]) => {
  for (const text of texts) assert.deepEqual(words(text), words(texts[0] ?? ''), `${text} and ${texts[0]}`);
  assert.notDeepEqual(words(texts[0] ?? ''), []);
};

/** Letters and digits of Unicode: all but ideographs and syllables of Korean, of which there are some. */
const LETTERS = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .filter(
    (code) =>
      code % 61 === 0 || !/[[\p{Script=Han}\p{Script=Hangul}]&&\p{Lo}]/v.test(String.fromCodePoint(code)),
  )
  .map((code) => String.fromCodePoint(code))
  .filter((letter) => /[\p{L}\p{N}]/u.test(letter));

describe('the words of a text', () => {
  for (const [text, expected] of [
    ['The quick, brown fox.', ['the', 'quick', 'brown', 'fox']],
    ['Größe: 42 m², don’t', ['grosse', '42', 'm2', 'don', 't']],
    ['ada@example.org', ['ada', 'example', 'org']],
    ['foo_bar-baz/1.5', ['foo', 'bar', 'baz', '1', '5']],
    ['數據庫', ['數據', '庫']],
    ['我们在北京开会', ['我们', '在', '北京', '开会']],
    ['東京でiPhone15を買う', ['東京', 'で', 'iphone15', 'を', '買う']],
    ['สวัสดีครับ', ['สวัสดี', 'ครับ']],
    ['한국어 검색', ['한국어', '검색']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐐀', ['unicode', '𐐨']],
    ['a🎉b🎉🎉', ['a', '🎉', 'b', '🎉', '🎉']],
    ['👍🏽 ❤️', ['👍', '❤']],
    ['👩🏽‍💻!🇩🇪🇫🇷', ['👩‍💻', '🇩🇪', '🇫🇷']],
    ['Atrium™ © 2026 ✔︎', ['atrium', '2026', '✔']],
    ['Sil\u00adben\u00adtren\u00adnung', ['silbentrennung']],
    ['\u200fשָׁלוֹם\u200f', ['שלום']],
    ['2½', ['2', '1', '2']],
    ['ﷺ', ['صلي', 'الله', 'عليه', 'وسلم']],
    ['葛\u{e0100}城', ['葛城']],
    [' \n\t—…"!?', []],
    ['\u0301 \ud800 \udc00', []],
    ['', []],
  ] as const)
    it(`are those of ${JSON.stringify(text)} (SEARCH-10)`, () => assert.deepEqual(words(text), expected));

  it('are told with their places in the text as it is written (SEARCH-10)', () => {
    const text = 'Ein ｆｕｌｌ  🎉Größe—東京で👍🏽cafe\u0301.';
    assert.deepEqual(places(text), ['Ein', 'ｆｕｌｌ', '🎉', 'Größe', '東京', 'で', '👍🏽', 'cafe\u0301']);
  });

  it('are compared by their first 64 characters (SEARCH-12)', () => {
    for (const letter of ['a', 'ä', 'я', '𐐀', '한', 'é\u0323']) {
      const [long, ...others] = wordsOf(letter.repeat(LONGEST_WORD + 20));
      assert.equal([...(long?.word ?? '')].length, LONGEST_WORD, letter);
      assert.equal(long?.length, letter.length * (LONGEST_WORD + 20));
      assert.deepEqual(others, []);
      assertAlike(letter.repeat(LONGEST_WORD), letter.repeat(LONGEST_WORD + 1));
    }
    assertAlike(`a${'\u0301'.repeat(1_000)}b`, 'ab');
  });
});

describe('words are the same', () => {
  for (const [name, ...alike] of [
    ['case', 'straße', 'STRASSE', 'STRAẞE', 'strasse'],
    ['the four i of Turkish', 'Diyarbakır', 'DİYARBAKIR', 'diyarbakir'],
    ['the final sigma', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'Οδυσσεύς'],
    ['accents', 'Ångström', 'angstrom', 'A\u030angstro\u0308m', 'ANGSTRÖM'],
    ['accents of Vietnamese', 'Đường Nguyễn', 'duong nguyen'],
    ['accents of Cyrillic', 'Ёлка йод', 'елка иод'],
    ['letters with a stroke', 'Øre Łódź smørrebrød Đorđe', 'ore lodz smorrebrod dorde'],
    ['ligatures', 'œuvre Æther ﬁne ĳs', 'OEUVRE aether fine ijs'],
    ['vowels of Arabic', 'مُحَمَّدٌ', 'محمد', 'محـــمد'],
    ['forms of the alef', 'أحمد إلى آخر', 'احمد الى اخر'],
    ['presentation forms of Arabic', 'ﻣﺤﻤﺪ', 'محمد'],
    ['points of Hebrew', 'שָׁלוֹם', 'שלום'],
    ['width', 'Ｆｕｌｌ １２３', 'full 123'],
    ['half-width kana', 'ﾃﾞｰﾀﾍﾞｰｽ', 'データベース', 'データベース'.normalize('NFD')],
    ['vowels of Thai', 'น้ำ', 'น้\u0e4d\u0e32'],
    ['ideographs', '葛飾区', '葛\u{e0100}飾区', '葛飾\ufe00区'],
    ['composition', '한국어', '한국어'.normalize('NFD')],
    ['skin tones', '👍', '👍🏽', '👍🏿'],
    ['selectors of pictures', '❤', '❤️', '❤︎'],
    ['invisible signs', 'کتاب\u200cها', 'کتابها', 'كتابها'],
  ] as const)
    it(`without regard to ${name} (SEARCH-11)`, () => assertAlike(...alike));

  it('only where they are: marks of other scripts make other words (SEARCH-11)', () => {
    for (const [one, other] of [
      ['か', 'が'],
      ['กา', 'กำ'],
      ['कि', 'कु'],
      ['cat', 'cats'],
      ['👩', '👩‍💻'],
    ] as const)
      assert.notDeepEqual(words(one), words(other));
  });

  it('for every letter in every case, width and composition (SEARCH-11)', () => {
    // The iota subscript is an accent, and a letter of its own in upper case.
    for (const letter of LETTERS.filter((one) => !one.normalize('NFD').includes('\u0345'))) {
      const expected = words(letter);
      for (const variant of [
        letter.toUpperCase(),
        letter.toLowerCase(),
        letter.normalize('NFD'),
        letter.normalize('NFC'),
      ])
        assert.deepEqual(words(variant), expected, `${letter} ${letter.codePointAt(0)?.toString(16)}`);
    }
  });

  it('for a word that is compared and read again (SEARCH-11)', () => {
    for (const letter of LETTERS) {
      const once = words(letter);
      assert.deepEqual(words(once.join(' ')), once, `${letter} ${letter.codePointAt(0)?.toString(16)}`);
    }
  });
});

/** Texts of letters that have something of their own, and of all others. */
const TEXT = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      'a',
      'Z',
      ' ',
      '-',
      'ß',
      'İ',
      'ı',
      'Σ',
      '\u0301',
      '\u0323',
      '\u00ad',
      'ø',
      'م',
      '\u064e',
      '京',
      'ｱ',
      'ﾞ',
      'ก',
      '\u0e33',
      '🎉',
      '🏽',
      '\u200d',
      '\ufe0f',
      '🇩',
      '½',
      '\ud800',
      '\udc00',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 30,
});

describe('every text', () => {
  it('has words that are the same where they stand alone (SEARCH-10)', () => {
    const unit = fc.constantFrom(
      'データベース',
      'を',
      'テスト',
      '会',
      '議',
      '数据',
      '库',
      '東京',
      '都',
      'で',
      'น้ำ',
      'ครับ',
      'ดี',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        for (const part of new Intl.Segmenter('zh', { granularity: 'word' }).segment(text))
          assert.ok(` ${words(text).join(' ')} `.includes(` ${words(part.segment).join(' ')} `));
        for (const word of words(text)) assert.deepEqual(words(word), [word]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has its words in order, within it, and without a blank (SEARCH-10)', () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        let begin = 0;
        let end = 0;
        for (const { word, start, length } of wordsOf(text)) {
          assert.ok(length > 0 && word.length > 0 && start + length <= text.length);
          assert.ok(start >= end || (start === begin && start + length === end));
          assert.doesNotMatch(word, /[\s\p{P}\p{Lu}]/u);
          assert.ok([...word].length <= LONGEST_WORD);
          [begin, end] = [start, start + length];
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('has words that are found where they stand (SEARCH-10, SEARCH-11)', () => {
    const spaced = TEXT.filter((text) => !/[\p{Script=Han}\p{Script=Katakana}\p{Script=Thai}]/u.test(text));
    fc.assert(
      fc.property(spaced, (text) => {
        for (const { word, start, length } of wordsOf(text))
          assert.ok(words(text.slice(start, start + length)).includes(word), word);
      }),
      { numRuns: 3_000 },
    );
  });

  it('has the same words in another case, without accents and in another composition (SEARCH-11)', () => {
    const latin = fc.string({
      unit: fc.constantFrom(...'abİıßéÅøŁœ ,.жЙёςΣά'.split('')),
      maxLength: 20,
    });
    fc.assert(
      fc.property(latin, (text) => {
        const expected = words(text);
        assert.deepEqual(words(text.toUpperCase()), expected);
        assert.deepEqual(words(text.toLowerCase()), expected);
        assert.deepEqual(words(text.normalize('NFD')), expected);
        assert.deepEqual(words(text.normalize('NFD').replace(/\p{M}/gu, '')), expected);
        const wide = text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
        assert.deepEqual(words(wide), expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read in a time that grows with it and no faster', async () => {
    const units = [
      'a',
      'ä',
      'a ',
      'ä ',
      '\u0301',
      'e\u0301\u0323',
      '\u00ad',
      'a\u00ad',
      '京',
      '数据库',
      'ก',
      'ア',
      '🎉',
      '👩\u200d',
      '🇩',
      '\ufe0f',
      '½',
      'ﷺ ',
      '\ud800',
      '—',
      'aä京',
    ];
    for (const unit of units) {
      await assertLinear(
        `the words of ${unit}`,
        (size) => `a${unit.repeat(size)}`,
        (text) => {
          let count = 0;
          for (const { length } of wordsOf(text)) count += length;
          return count;
        },
      );
    }
  });

  it('of millions of letters without a blank are found, and what stands behind them', () => {
    for (const unit of ['я', 'я\u00ad', '\u0301', '京', 'ก']) {
      const text = `a${unit.repeat(4_000_000 / unit.length)} end`;
      let last = '';
      for (const { word, start, length } of wordsOf(text)) {
        assert.ok(start + length <= text.length);
        last = word;
      }
      assert.equal(last, 'end', unit);
    }
    const long = Array.from(wordsOf(`${'я'.repeat(3_000_000)} end`));
    assert.deepEqual(
      long.map(({ word, length }) => [word.length, length]),
      [
        [64, 3_000_000],
        [3, 3],
      ],
    );
  });
});
