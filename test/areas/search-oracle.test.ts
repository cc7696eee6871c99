/** The index against an oracle that looks through everything: generated mailboxes, generated queries, both engines. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { wordsOf } from '../../src/text/words.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { append, folderOf } from './mail-world.ts';
import { indexed } from './search-world.ts';

/** Few words of many languages, so that queries find something: in each group they stand for one another. */
const ALIKE: readonly (readonly string[])[] = [
  ['report', 'Report', 'REPORT', 'ｒｅｐｏｒｔ'],
  ['Größe', 'grosse', 'GRÖSSE'],
  ['café', 'cafe', 'CAFÉ', 'cafe\u0301'],
  ['İzmir', 'izmir', 'IZMIR', 'ızmir'],
  ['محمد', 'مُحَمَّد'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
  ['データベース', 'ﾃﾞｰﾀﾍﾞｰｽ'],
  ['Łódź', 'lodz'],
  ['👍', '👍🏽'],
];
const WORDS: readonly (readonly string[])[] = [
  ...ALIKE,
  ...[
    'reports',
    'annual',
    'invoice',
    'invoices',
    'meeting',
    '数据库',
    '东京',
    '会議',
    'สวัสดี',
    '🎉',
    '👩‍💻',
    '🇩🇪',
    'น้ำ',
    'データベースを使う',
    'Silben\u00adtrennung',
    '2½',
    '42',
    "don't",
    'a.b',
  ].map((word) => [word]),
];
const PEOPLE = ['ada@example.org', 'bob@example.com', 'Zoë <zoe@example.net>'];

/** What the oracle knows of a message. */
interface Known {
  readonly id: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly isUnread: boolean;
}

/** A generator of the same numbers in every run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** A condition of a query, as text and as the oracle sees it. */
interface Condition {
  readonly text: string;
  readonly holds: (known: Known) => boolean;
}

const plain = (text: string) => Array.from(wordsOf(text), ({ word }) => word);

function hasPhrase(texts: readonly string[], phrase: readonly string[], isPrefix: boolean): boolean {
  return texts.some((text) => {
    const words = plain(text);
    return words.some((_, i) =>
      phrase.every((word, j) => {
        const at = words[i + j] ?? '';
        return isPrefix && j === phrase.length - 1 ? at.startsWith(word) : at === word;
      }),
    );
  });
}

forEachEngine((engine) => {
  describe('the search beside an oracle (SEARCH-9, SEARCH-11, SEARCH-14, SEARCH-15, SEARCH-17)', () => {
    const next = numbers(engine.length);
    const one = <T>(list: readonly T[]): T => list[next(list.length)] as T;
    const word = () => one(one(WORDS));
    const text = (most: number) => Array.from({ length: 1 + next(most) }, word).join(one([' ', ', ', '\n']));
    let app: TestApp;
    const all: Known[] = [];

    before(async () => {
      app = await startApp(engine);
      const inbox = await folderOf(app, 'inbox');
      for (let i = 0; i < 120; i++) {
        const fields = {
          from: [one(PEOPLE)],
          to: [one(PEOPLE), one(PEOPLE)],
          subject: [text(4)],
          body: [text(25)],
        };
        const lines = [
          `From: ${encoded(fields.from[0] ?? '')}`,
          `To: ${fields.to.map(encoded).join(', ')}`,
          `Subject: ${encoded(fields.subject[0] ?? '')}`,
          'MIME-Version: 1.0',
          'Content-Type: text/plain; charset=utf-8',
          'Content-Transfer-Encoding: 8bit',
        ];
        const isUnread = next(2) === 0;
        const raw = `${lines.join('\r\n')}\r\n\r\n${fields.body[0]?.replaceAll('\n', '\r\n')}\r\n`;
        const { id } = await append(app, inbox, raw, { query: isUnread ? '' : '?flag=read' });
        all.unshift({ id, fields, isUnread });
      }
      await indexed(app);
    });
    after(() => app.stop());

    /** A header with an encoded word where it is needed (RFC 2047). */
    function encoded(value: string): string {
      const [, name, address] = /^(.*) (<.*>)$/.exec(value) ?? [];
      if (name !== undefined) return `${encoded(name)} ${address}`;
      return /^[ -~]*$/.test(value)
        ? value
        : `=?utf-8?B?${Buffer.from(value.replaceAll('\n', ' ')).toString('base64')}?=`;
    }

    const textsOf = ({ fields }: Known, field: string) =>
      field === '' ? Object.values(fields).flat() : (fields[field] ?? []);

    function condition(): Condition {
      const field = one(['', '', '', 'from', 'to', 'subject', 'body']);
      const prefix = field === '' ? '' : `${field}:`;
      const kind = next(10);
      if (kind === 0) return { text: 'is:unread', holds: ({ isUnread }) => isUnread };
      if (kind < 4) {
        const phrase = Array.from({ length: 2 + next(2) }, word).join(' ');
        return {
          text: `${prefix}"${phrase}"`,
          holds: (known) => hasPhrase(textsOf(known, field), plain(phrase), false),
        };
      }
      if (kind < 6) {
        const begin = [...word()].slice(0, 1 + next(4)).join('');
        const words = plain(begin);
        if (words.length > 0 && !/\p{P}$/u.test(begin))
          return {
            text: `${prefix}${begin}*`,
            holds: (known) => hasPhrase(textsOf(known, field), words, true),
          };
      }
      const searched = word();
      return {
        text: `${prefix}${searched}`,
        holds: (known) => hasPhrase(textsOf(known, field), plain(searched), false),
      };
    }

    function literal(): Condition {
      const { text, holds } = condition();
      return next(4) === 0 ? { text: `-${text}`, holds: (known) => !holds(known) } : { text, holds };
    }

    function clause(): Condition {
      if (next(3) > 0) return literal();
      const some = Array.from({ length: 2 + next(2) }, literal);
      return {
        text: some.map((condition) => condition.text).join(' OR '),
        holds: (known) => some.some((condition) => condition.holds(known)),
      };
    }

    for (let round = 0; round < 150; round++) {
      const clauses = Array.from({ length: 1 + next(3) }, clause);
      const q = clauses.map((one) => one.text).join(' ');
      it(`finds the same for ${JSON.stringify(q)}`, async () => {
        const found: string[] = [];
        for (let cursor = ''; ; ) {
          const answer = await app.get(
            `/v1/search?q=${encodeURIComponent(q)}&limit=${1 + next(60)}${cursor && `&cursor=${cursor}`}`,
          );
          if (answer.status === 400 && /^-/.test(q)) return;
          found.push(...data(answer).map(({ id }: { id: string }) => id));
          if (!answer.json.pagination.has_more) break;
          cursor = answer.json.pagination.next_cursor;
        }
        assert.deepEqual(
          found,
          all.filter((known) => clauses.every((one) => one.holds(known))).map(({ id }) => id),
        );
      });
    }
  });
});
