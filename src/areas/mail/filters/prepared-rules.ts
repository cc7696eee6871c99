import { type Matcher, matcherOf } from './evaluation.ts';
import type { Rule } from './schema.ts';

/** A stored rule, read and folded. */
interface PreparedRule {
  rule: Rule;
  matches: Matcher;
}

/**
 * The rules that ran lately by the text in which they are stored, so that what a mailbox has many of is read and folded
 * once and not for each message. The text says all, so nothing here is ever out of date.
 */
const prepared = new Map<string, PreparedRule>();
const MOST_CHARACTERS = 2_000_000;
let characters = 0;

/** Reads a stored rule. */
export function preparedRule(text: string): PreparedRule {
  const found = prepared.get(text);
  if (found) return found;
  if (characters + text.length > MOST_CHARACTERS) forgetAll();
  const rule: Rule = JSON.parse(text);
  const made = { rule, matches: matcherOf(rule) };
  prepared.set(text, made);
  characters += text.length;
  return made;
}

function forgetAll(): void {
  prepared.clear();
  characters = 0;
}

/** Texts of so many characters are folded within a turn. */
const FOLDED_AT_ONCE = 100_000;
/** Rules of so many characters are read within a turn. */
const READ_AT_ONCE = 300_000;
/** Comparisons of characters within a turn, at most each of a text with each of a value. */
const COMPARED_AT_ONCE = 100_000_000;

/** Characters of a message, counted once for each character of rules, that a thread looks at for one question. */
const ASKED_AT_ONCE = 10_000_000_000;

/** Whether a message of a size can be held against these rules within a turn of the event loop, whatever they are. */
export function fitsIntoTurn(size: number, rules: readonly string[]): boolean {
  if (rules.length === 0) return true;
  const characters = rules.reduce((sum, rule) => sum + rule.length, 0);
  if (size > FOLDED_AT_ONCE || characters > READ_AT_ONCE) return false;
  return size * characters <= COMPARED_AT_ONCE || size * charactersOfValues(rules) <= COMPARED_AT_ONCE;
}

function charactersOfValues(rules: readonly string[]): number {
  return rules
    .flatMap((rule) => preparedRule(rule).rule.conditions)
    .reduce((sum, { value }) => sum + value.length, 0);
}

/** Rules in portions of which each is one question for a thread: where one takes too long the others are still answered. */
export function* portionsOf(size: number, rules: readonly string[]): Generator<string[]> {
  let portion: string[] = [];
  let cost = 0;
  for (const rule of rules) {
    const own = size * rule.length;
    if (portion.length > 0 && cost + own > ASKED_AT_ONCE) {
      yield portion;
      portion = [];
      cost = 0;
    }
    portion.push(rule);
    cost += own;
  }
  if (portion.length > 0) yield portion;
}
