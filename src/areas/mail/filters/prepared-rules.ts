import { type Matcher, matcherOf } from './evaluation.ts';
import type { Rule } from './schema.ts';

/** A stored rule, parsed and case-folded. */
interface PreparedRule {
  rule: Rule;
  matches: Matcher;
}

/**
 * Cache of recently used rules by their stored text, so that rules are not parsed and folded for each message. An entry
 * depends only on its key, so it is never stale.
 */
const prepared = new Map<string, PreparedRule>();
const MOST_CHARACTERS = 2_000_000;
let characters = 0;

/** Parses a stored rule, or takes it from the cache. */
export function preparedRule(text: string): PreparedRule {
  const found = prepared.get(text);
  if (found) return found;
  if (characters + text.length > MOST_CHARACTERS) clearCache();
  const rule: Rule = JSON.parse(text);
  const entry = { rule, matches: matcherOf(rule) };
  prepared.set(text, entry);
  characters += text.length;
  return entry;
}

function clearCache(): void {
  prepared.clear();
  characters = 0;
}

/** Characters of texts that are folded within one turn of the event loop. */
const FOLDED_AT_ONCE = 100_000;
/** Characters of rules that are parsed within one turn. */
const READ_AT_ONCE = 300_000;
/** Character comparisons within one turn: at worst each character of a text with each of a value. */
const COMPARED_AT_ONCE = 100_000_000;

/** Characters of the message times characters of the rules in one request to the worker thread. */
const ASKED_AT_ONCE = 10_000_000_000;

/** Whether these rules can be evaluated on a message of this size within one turn of the event loop. */
export function fitsIntoTurn(size: number, rules: readonly string[]): boolean {
  if (rules.length === 0) return true;
  const characters = rules.reduce((sum, rule) => sum + rule.length, 0);
  if (size > FOLDED_AT_ONCE || characters > READ_AT_ONCE) return false;
  return size * characters <= COMPARED_AT_ONCE || size * charactersOfValues(rules) <= COMPARED_AT_ONCE;
}

function charactersOfValues(rules: readonly string[]): number {
  return rules
    .flatMap((rule) => preparedRule(rule).rule.conditions)
    .reduce((sum, { value = '' }) => sum + String(value).length, 0);
}

/** Splits rules into one request each to the worker thread: a slow portion does not fail the others. */
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
