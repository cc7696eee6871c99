/** The index against a look through everything, over real mail, contacts and files: the same queries, the same answers. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { withoutTags } from '../../src/areas/mail/filters/html-tags.ts';
import { wordsOf } from '../../src/text/words.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { firstBook, importCards } from './contacts-world.ts';
import { putFile, theOwner } from './files-world.ts';
import { append, everyPage, folderOf } from './mail-world.ts';
import { indexed } from './search-world.ts';

const CORPUS = '../shared/corpus';

/** One message of so many is taken. */
const EACH_MESSAGE = 5;

/** Words, and passages of texts, that queries are made of. */
const WORDS = 60;
const PASSAGES = 40;

/** An object, and the words of each of its texts between blanks. */
interface Known {
  readonly id: string;
  readonly texts: readonly { readonly field: string; readonly words: string }[];
}

/** A query, and whether an object fulfils it. */
interface Asked {
  readonly q: string;
  readonly holds: (known: Known) => boolean;
}

const plain = (text: string) => Array.from(wordsOf(text), ({ word }) => word);

function known(id: string, texts: readonly (readonly [field: string, text: string | undefined])[]): Known {
  return {
    id,
    texts: texts.map(([field, text = '']) => ({ field, words: ` ${plain(text).join(' ')} ` })),
  };
}

/** A condition on words that stand together in one text, perhaps of a field; the last may be a beginning. */
function together(text: string, { field = '', isPrefix = false } = {}): Asked {
  const searched = ` ${plain(text).join(' ')}${isPrefix ? '' : ' '}`;
  const quoted = text.includes(' ') ? `"${text}"` : text;
  return {
    q: `${field && `${field}:`}${quoted}${isPrefix ? '*' : ''}`,
    holds: ({ texts }) =>
      texts.some((one) => (field === '' || one.field === field) && one.words.includes(searched)),
  };
}

const both = (a: Asked, b: Asked): Asked => ({
  q: `${a.q} ${b.q}`,
  holds: (one) => a.holds(one) && b.holds(one),
});
const either = (a: Asked, b: Asked): Asked => ({
  q: `${a.q} OR ${b.q}`,
  holds: (one) => a.holds(one) || b.holds(one),
});
const without = (a: Asked, b: Asked): Asked => ({
  q: `${a.q} -${b.q}`,
  holds: (one) => a.holds(one) && !b.holds(one),
});

/** `count` members of a list, evenly from the first on. */
function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor(i * step)] as T);
}

/** Queries made of what the objects hold: words that many and that few have, passages, beginnings, fields, and joined ones. */
function queriesOf(objects: readonly Known[]): Asked[] {
  const counts = new Map<string, number>();
  for (const { texts } of objects)
    for (const word of new Set(texts.flatMap(({ words }) => words.trim().split(' '))))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  counts.delete('');
  const byCount = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
  const words = [...byCount.slice(0, 10), ...spread(byCount, WORDS)];
  const texts = objects.flatMap((one) => one.texts).filter(({ words }) => words.trim().includes(' '));
  const passages = spread(texts, PASSAGES).map(({ field, words }) => {
    const all = words.trim().split(' ');
    const start = Math.floor((all.length - 2) / 2);
    return { field, words: all.slice(start, start + 3) };
  });
  const isOperator = (field: string) => field !== 'other';
  const single = words.map((word) => together(word));
  return [
    ...single,
    ...words.map((word) => together([...word].slice(0, 3).join(''), { isPrefix: true })),
    ...passages.flatMap(({ field, words }) => [
      together(words.join(' ')),
      together(words.slice(0, 2).join(' '), isOperator(field) ? { field } : {}),
      together(words.toReversed().join(' ')),
      both(together(words[0] ?? ''), together(words.at(-1) ?? '')),
      without(together(words[0] ?? ''), together(words.join(' '))),
    ]),
    ...single.slice(0, 20).flatMap((one, i) => {
      const [other, third] = [single[i + 20], single[i + 40]];
      return other && third ? [without(one, other), both(one, either(other, third))] : [];
    }),
  ];
}

forEachEngine((engine) => {
  describe('the search over the corpus (SEARCH-9, SEARCH-13, SEARCH-14, SEARCH-15, SEARCH-17)', {
    skip: !existsSync(CORPUS) && 'no corpus here',
  }, () => {
    let app: TestApp;
    let objects: Known[];

    before(async () => {
      app = await startApp(engine);
      objects = [...(await mail()), ...(await contacts()), ...(await files())];
      await indexed(app);
    });
    after(() => app.stop());

    async function mail(): Promise<Known[]> {
      const inbox = await folderOf(app, 'inbox');
      const names = readdirSync(`${CORPUS}/mail`).filter((name) => name.endsWith('.eml'));
      const found: Known[] = [];
      for (const name of names.filter((_, i) => i % EACH_MESSAGE === 0)) {
        const { id } = await append(app, inbox, readFileSync(`${CORPUS}/mail/${name}`));
        const full = data(await app.get(`/v1/messages/${id}`));
        const { subject, from, to, cc, bcc = [], reply_to = [], text, html, attachments } = full;
        const named = (field: string, list: readonly string[]) => list.map((one) => [field, one] as const);
        found.push(
          known(id, [
            ['body', text.trim() === '' ? withoutTags(html) : text],
            ['subject', subject],
            ['from', from],
            ...named('to', to),
            ...named('cc', cc),
            ...named('other', [...bcc, ...reply_to]),
            ...attachments.map(({ filename }: { filename: string }) => ['filename', filename] as const),
          ]),
        );
      }
      return found;
    }

    async function contacts(): Promise<Known[]> {
      const book = await firstBook(app);
      for (const name of readdirSync(`${CORPUS}/vcf`).filter((name) => name.endsWith('.vcf')))
        await importCards(app, book, readFileSync(`${CORPUS}/vcf/${name}`));
      const all = await everyPage(app, '/v1/contacts', 200);
      return all.map(({ id, emails = [], phones = [], ...contact }) => {
        const { name, given_name, family_name, organization, title, notes } = contact;
        const listed = [...emails, ...phones].flatMap(({ address, number, type }) => [address, number, type]);
        const texts = [name, given_name, family_name, organization, title, notes, ...listed];
        return known(
          id,
          texts.map((text) => ['other', text] as const),
        );
      });
    }

    async function files(): Promise<Known[]> {
      const owner = await theOwner(app);
      const found: Known[] = [];
      for (const filename of readdirSync(`${CORPUS}/types`).filter((name) =>
        /\.(?:txt|srt|vtt)$/.test(name),
      )) {
        const bytes = readFileSync(`${CORPUS}/types/${filename}`);
        const text = bytes.toString();
        // What is in another encoding is the matter of the tests of encodings.
        if (bytes.length > 60_000 || text.includes('\uFFFD')) continue;
        const { id } = await putFile(app, owner, { filename, bytes });
        found.push(
          known(id, [
            ['filename', filename],
            ['body', text],
          ]),
        );
      }
      return found;
    }

    it('answers what looking through all texts gives, the newest first', async () => {
      const queries = queriesOf(objects);
      assert.ok(
        objects.length > 200 && queries.length > 300,
        `${objects.length} objects, ${queries.length} queries`,
      );
      for (const { q, holds } of queries) {
        const found: { id: string; at: string }[] = [];
        for (let cursor = ''; ; ) {
          const answer = await app.get(`/v1/search?limit=100&q=${encodeURIComponent(q)}${cursor}`);
          found.push(...data(answer));
          if (!answer.json.pagination.has_more) break;
          cursor = `&cursor=${answer.json.pagination.next_cursor}`;
        }
        const wanted = objects.filter(holds).map(({ id }) => id);
        assert.deepEqual(found.map(({ id }) => id).sort(), wanted.sort(), q);
        const times = found.map(({ at }) => at);
        assert.deepEqual(times, times.toSorted().reverse(), q);
      }
    });
  });
});
