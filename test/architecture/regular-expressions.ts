import { existsSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parse } from 'acorn';

process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = createRequire(import.meta.url)('recheck') as typeof import('recheck');

/** A regular expression and where it is written. */
export interface Expression {
  source: string;
  flags: string;
  where: string;
}

/** What the checker says: proven, refuted by an input for which it takes more than linear time, or neither. */
export type Verdict = { is: 'linear' } | { is: 'unknown' } | { is: 'slow'; attack: string };

/** The regular expressions that a file writes as literals, or gives to RegExp as one text. */
export function expressionsOf(path: string, source: string): Expression[] {
  const found: Expression[] = [];
  const plain = stripTypeScriptTypes(source);
  parse(plain, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowHashBang: true,
    onToken: (token) => {
      const value: unknown = 'value' in token ? token.value : undefined;
      if (isPattern(value)) found.push({ source: value.pattern, flags: value.flags, where: path });
    },
  });
  return found;
}

function isPattern(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;
}

/** The expressions that are made of texts while `run` runs, by whoever is loaded or called meanwhile. */
export async function expressionsMadeBy(run: () => Promise<unknown>): Promise<Expression[]> {
  const made: Expression[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given: ConstructorParameters<typeof original>, newTarget) {
      const expression: RegExp = Reflect.construct(target, given, newTarget);
      made.push({ source: expression.source, flags: expression.flags, where: 'new RegExp' });
      return expression;
    },
  });
  try {
    await run();
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

/** The patterns of a schema and of all that it holds. */
export function patternsOf(schema: unknown, where: string): Expression[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const isPattern = name === 'pattern' && typeof value === 'string';
    return isPattern ? [{ source: value, flags: 'u', where }] : patternsOf(value, where);
  });
}

/** What is wrong with these expressions, each said once. */
export function problemsOf(expressions: readonly Expression[]): string[] {
  const problems = expressions.flatMap((expression) => {
    const verdict = verdictOn(expression);
    if (verdict.is === 'linear') return [];
    const attack = verdict.is === 'slow' ? verdict.attack : slowAttackOn(expression);
    if (attack === undefined) return [];
    return [`${expression.where}: /${expression.source}/ takes more than linear time on ${attack}`];
  });
  return [...new Set(problems)];
}

const GOLDEN = join(import.meta.dirname, '../golden');
/** Those that the checker has proven, one a line as `keyOf` tells it. */
export const PROVEN_EXPRESSIONS = join(GOLDEN, 'linear-expressions.txt');
/** Those that it could neither prove nor refute with much time: it need not be asked again, and they are attacked. */
export const UNDECIDED_EXPRESSIONS = join(GOLDEN, 'undecided-expressions.txt');
const proven = linesOf(PROVEN_EXPRESSIONS);
const undecided = linesOf(UNDECIDED_EXPRESSIONS);

function linesOf(path: string): Set<string> {
  return new Set(existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []);
}

/** States of an automaton, up to which one is looked at. */
const MOST_STATES = 3_000;
const PATIENCE_MS = 4_000;

const asked = new Map<string, Verdict>();

/** An expression as it is told from others. */
export function keyOf({ source, flags }: Pick<Expression, 'source' | 'flags'>): string {
  return `/${source}/${flags}`;
}

/** Whether a regular expression takes linear time on every input, attempts at later places included. */
export function verdictOn(
  expression: Pick<Expression, 'source' | 'flags'>,
  patienceMs: number = PATIENCE_MS,
): Verdict {
  const key = keyOf(expression);
  if (proven.has(key)) return { is: 'linear' };
  if (undecided.has(key) && patienceMs <= PATIENCE_MS) return { is: 'unknown' };
  const verdict = asked.get(key) ?? ask(expression, patienceMs);
  asked.set(key, verdict);
  return verdict;
}

function ask({ source, flags }: Pick<Expression, 'source' | 'flags'>, patienceMs: number): Verdict {
  // The checker knows neither of these flags; without sets of strings, v is u.
  const understood = flags.replace('v', 'u').replace('d', '');
  const found = checkSync(source, understood, {
    checker: 'automaton',
    maxNFASize: MOST_STATES,
    timeout: patienceMs,
  });
  if (found.status === 'safe') return { is: 'linear' };
  return found.status === 'vulnerable' ? { is: 'slow', attack: found.attack.pattern } : { is: 'unknown' };
}

/** So long an attack takes a second where the time is quadratic. */
const ATTACK_SIZE = 30_000;
const LONGEST_MS = 60;
/** What takes too long with a quarter of an attack already need not meet the whole of it. */
const SIZES = [ATTACK_SIZE / 4, ATTACK_SIZE];

/** An attack on an expression that takes long, among those that are made of its own characters; undefined for none. */
export function slowAttackOn({ source, flags }: Pick<Expression, 'source' | 'flags'>): string | undefined {
  const expression = new RegExp(source, flags.replace(/[gy]/g, ''));
  return attacksOn(source).find((attack) =>
    SIZES.some((size) => {
      const text = attack.repeat(size / attack.length);
      return [0, 1, 2].every(() => takesLong(expression, text));
    }),
  );
}

/** Asks no further once it has taken too long. */
function takesLong(expression: RegExp, text: string): boolean {
  const began = process.cpuUsage();
  return ['', '\u0001', 'x\n!'].some((end) => {
    expression.exec(text + end);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000 > LONGEST_MS;
  });
}

/** Runs of each character that the expression names, and of two of them in turn, behind what it may begin with. */
function attacksOn(source: string): string[] {
  const written = [...source.replace(/\\[a-zA-Z]/g, '').replace(/[\\()[\]{}|*+?^$]/g, '')];
  const characters = [...new Set([...written, ' ', 'a', '0', '\n', '\t', '"', '<', '(', '\\', '[', '*'])];
  const pairs = characters.flatMap((one) => characters.map((other) => one + other));
  return [...characters, ...pairs];
}
