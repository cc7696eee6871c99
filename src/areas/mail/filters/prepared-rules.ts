import { type Matcher, matcherOf } from './evaluation.ts';
import type { Rule } from './schema.ts';

/** A stored rule, read and folded. */
export interface PreparedRule {
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
