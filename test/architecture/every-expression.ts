import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationsOf } from '../../src/start/server.ts';
import { type Expression, expressionsMadeBy, expressionsOf, patternsOf } from './regular-expressions.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = globSync(['src/**/*.ts', 'client/src/**/*.ts'], { cwd: ROOT }).sort();
const contentOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Files that make expressions of texts when they are loaded. */
const MAKERS = [
  'src/contract/storable-text.ts',
  'src/areas/calendar/transfer/imported-component.ts',
  'src/areas/contacts/transfer/cards.ts',
  'src/formulas/number-text.ts',
  'src/formulas/functions/engineering/complex.ts',
  'src/formulas/syntax/template.ts',
  'src/text/words.ts',
];
/** Files that make them when they are called: of texts of their own, which stand below as they are made. */
const CALLED_MAKERS: Record<string, Expression[]> = {
  'src/start/config.ts': [],
  'src/formulas/functions/text/bytes.ts': [{ source: '([ｦ-ﾝ])ﾞ', flags: 'g', where: 'bytes.ts' }],
  'src/text/email-address.ts': [
    {
      source: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$',
      flags: 'i',
      where: 'email-address.ts',
    },
  ],
};

let written: Expression[] | undefined;

/** All that are written as literals. */
export function literals(): Expression[] {
  written ??= FILES.flatMap((path) => expressionsOf(path, contentOf(path)));
  return written;
}

/** The files that make expressions of texts, as found and as known here. */
export function makers(): { found: string[]; known: string[] } {
  const found = FILES.filter((path) => /\bRegExp\(/.test(contentOf(path)));
  return { found, known: [...MAKERS, ...Object.keys(CALLED_MAKERS)].sort() };
}

/** All that are made of texts. */
export async function madeOfTexts(): Promise<Expression[]> {
  const made = await expressionsMadeBy(async () => {
    // Under a name of its own, because the first one is loaded already.
    for (const path of MAKERS) await import(`../../${path}?made`);
  });
  return [...made, ...Object.values(CALLED_MAKERS).flat()];
}

/** All patterns of declarations. */
export function patterns(): Expression[] {
  const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);
  return operations.flatMap(({ id, params, query, body }) => patternsOf([params, query, body], id));
}
