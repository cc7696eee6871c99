import { posix } from 'node:path';

/** Texts by their path within the project, with "/". */
export type Texts = Readonly<Record<string, string>>;

const INDEX = 'docs/spec/README.md';
const ID = /[A-Z]+-[1-9]\d*/.source;
/** A line of the index that names a page and the prefix of its ids. */
const INDEXED = /^\| \[([a-z-]+\.md)\]\(\1\) \| `([A-Z]+)-` \| /gm;
/** The beginnings of a rule: a paragraph of a list, or a row of a table. */
const RULE = new RegExp(`^(?:- \\*\\*(${ID})\\*\\* |\\| (${ID}) \\| )\\S`);
const HEAD = /^\|( id \||---)/;
const TEST_NAME = /^\s*(?:await )?(?:test|it|describe)\((?:'(.*)'|"(.*)"|`(.*)`)(?:, .*)?$/;
const ROW_COMMENT = new RegExp(`^\\s*// (${ID}(?:, ${ID})*)$`);

/** The pages of the specification that are among the texts, without the index. */
function pagesOf(texts: Texts): [path: string, text: string][] {
  return Object.entries(texts).filter(([path]) => path.startsWith('docs/spec/') && path !== INDEX);
}

/** By page, the prefix that the index gives it. */
function prefixes(texts: Texts): Map<string, string> {
  const rows = (texts[INDEX] ?? '').matchAll(INDEXED);
  return new Map([...rows].map(([, page = '', prefix = '']) => [`docs/spec/${page}`, prefix]));
}

/** The ids that the pages define, as often as they do. */
export function definedIds(texts: Texts): string[] {
  return pagesOf(texts).flatMap(([, text]) =>
    text.split('\n').flatMap((line) => {
      const [, item, row] = RULE.exec(line) ?? [];
      return item ?? row ?? [];
    }),
  );
}

/** One sentence for each page and each id that breaks the rules of docs/spec/README.md. */
export function malformedIds(texts: Texts): string[] {
  const indexed = prefixes(texts);
  return [
    ...[...indexed.keys()].filter((page) => !(page in texts)).map((page) => `${page} is not there`),
    ...pagesOf(texts).flatMap(([path, text]) => malformedOn(path, text, indexed.get(path))),
  ];
}

function malformedOn(path: string, text: string, prefix: string | undefined): string[] {
  if (prefix === undefined) return [`${path} is not in the index`];
  const begins = text.split('\n').filter((line) => /^(- |\|)/.test(line) && !HEAD.test(line));
  const ids = definedIds({ [path]: text });
  const numbers = ids.map((id) => Number(id.slice(prefix.length + 1)));
  const missing = ids.map((_, i) => `${prefix}-${i + 1}`).filter((id) => !ids.includes(id));
  return [
    ...begins.filter((line) => !RULE.test(line)).map((line) => `${path} has a rule without an id: ${line}`),
    ...ids.filter((id) => !id.startsWith(`${prefix}-`)).map((id) => `${path} defines ${id}`),
    ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${path} defines ${id} twice`),
    ...(numbers.some((number) => number > ids.length) ? missing.map((id) => `${path} lacks ${id}`) : []),
  ];
}

/** Where a text names an id that no page defines: by the prefix of a page, or in the place of an id. */
export function unknownIds(texts: Texts): string[] {
  const defined = new Set(definedIds(texts));
  const known = new RegExp(`\\b(?:${[...prefixes(texts).values()].join('|')})-\\d+\\b`, 'g');
  return Object.entries(texts).flatMap(([path, text]) => {
    const named = [...(text.match(known) ?? []), ...text.split('\n').flatMap(idsAtTheirPlace)];
    return [...new Set(named)].filter((id) => !defined.has(id)).map((id) => `${path} names ${id}`);
  });
}

/** What stands in brackets behind the name of a test, and in a comment that consists of ids. */
function idsAtTheirPlace(line: string): string[] {
  const [, ...names] = TEST_NAME.exec(line) ?? [];
  const name = names.find((one) => one !== undefined) ?? '';
  const [, behind] = new RegExp(`\\((${ID}(?:, ${ID})*)\\)$`).exec(name) ?? [];
  return (behind ?? ROW_COMMENT.exec(line)?.[1])?.split(', ') ?? [];
}

/** The ids that no test names, nor a file of test that a test imports, itself or through others. */
export function untestedIds(texts: Texts, importsOf: (path: string, text: string) => string[]): string[] {
  const reached = new Set(Object.keys(texts).filter((path) => path.endsWith('.test.ts')));
  for (const path of reached) {
    for (const imported of importsOf(path, texts[path] ?? '').map(posix.normalize))
      if (imported.startsWith('test/') && imported in texts) reached.add(imported);
  }
  const named = new Set(
    [...reached].flatMap((path) => texts[path]?.match(new RegExp(`\\b${ID}\\b`, 'g')) ?? []),
  );
  return definedIds(texts).filter((id) => !named.has(id));
}
