/**
 * Asks the checker for each regular expression that is not yet known to be linear, with as much time as it wants, and keeps
 * those that it proves in test/golden/linear-expressions.txt: a proof lasts, and takes up to a minute.
 */
import { writeFileSync } from 'node:fs';
import { literals, madeOfTexts, patterns } from './every-expression.ts';
import { keyOf, PROVEN_EXPRESSIONS, verdictOn } from './regular-expressions.ts';

const PATIENCE_MS = 60_000;

const expressions = [...literals(), ...(await madeOfTexts()), ...patterns()];
const proven = expressions.filter((expression) => verdictOn(expression, PATIENCE_MS).is === 'linear');
const lines = [...new Set(proven.map(keyOf))].sort();
writeFileSync(PROVEN_EXPRESSIONS, `${lines.join('\n')}\n`);
const all = new Set(expressions.map(keyOf)).size;
process.stdout.write(`${lines.length} of ${all} regular expressions are proven to be linear\n`);
