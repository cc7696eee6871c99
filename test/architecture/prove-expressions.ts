/**
 * Asks the checker for each regular expression that is not yet known to be linear, with as much time as it wants, and keeps
 * those that it proves in test/golden/linear-expressions.txt: a proof lasts, and takes up to a minute. Those of which it can
 * say nothing are kept beside them.
 */
import { writeFileSync } from 'node:fs';
import { literals, madeOfTexts, patterns } from './every-expression.ts';
import {
  type Expression,
  keyOf,
  PROVEN_EXPRESSIONS,
  UNDECIDED_EXPRESSIONS,
  verdictOn,
} from './regular-expressions.ts';

const PATIENCE_MS = 60_000;

const expressions = [...literals(), ...(await madeOfTexts()), ...patterns()];
const verdicts = Map.groupBy(expressions, (expression) => verdictOn(expression, PATIENCE_MS).is);
const proven = write(PROVEN_EXPRESSIONS, verdicts.get('linear'));
write(UNDECIDED_EXPRESSIONS, verdicts.get('unknown'));
const all = new Set(expressions.map(keyOf)).size;
process.stdout.write(`${proven} of ${all} regular expressions are proven to be linear\n`);

/** How many they are, each counted once. */
function write(path: string, found: readonly Expression[] = []): number {
  const lines = [...new Set(found.map(keyOf))].sort();
  writeFileSync(path, `${lines.join('\n')}\n`);
  return lines.length;
}
