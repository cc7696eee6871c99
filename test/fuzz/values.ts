import type { Random } from '../../bench/mail/random.ts';
import type { Schema } from './document.ts';
import type { Known } from './known.ts';

const WORDS = [
  'plan',
  'Ünïcödé ß',
  '会議',
  '😀',
  'a/b',
  "it's",
  '"quoted"',
  '-1',
  'TRUE',
  '=SUM(A1:A3)',
  'A1',
  'B2:C3',
  '#3366ff',
];
const TIMES = [
  '2026-03-01T09:00:00Z',
  '2026-03-29T02:30:00+01:00',
  '2026-03-02T10:00:00.000Z',
  '2026-03-01',
  '09:00',
];
const ADDRESSES = ['owner@localhost', 'Ada <ada@example.org>', 'nobody@nowhere.example'];
const KIND = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/;

/** Makes values that a schema takes, as well as that can be told from it. */
export class Values {
  readonly #random: Random;
  readonly #known: Known;

  constructor(random: Random, known: Known) {
    this.#random = random;
    this.#known = known;
  }

  of(schema: Schema = {}): unknown {
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.#random.of(schema.enum);
    if (schema.anyOf) return this.of(this.#random.of(schema.anyOf));
    switch (schema.type) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'string':
        return this.#text(schema);
      case 'boolean':
        return this.#random.chance(0.5);
      case 'integer':
      case 'number':
        return this.#number(schema);
      default:
        return this.#random.of<unknown>(['any', 1, true, null]);
    }
  }

  #object({ properties = {}, required = [] }: Schema): object {
    const names = Object.keys(properties).filter(
      (name) => required.includes(name) || this.#random.chance(0.4),
    );
    return Object.fromEntries(names.map((name) => [name, this.of(properties[name])]));
  }

  #array({ items, minItems = 0, maxItems = 4, examples }: Schema): unknown[] {
    if (examples?.length && this.#random.chance(0.2)) return this.#random.of(examples) as unknown[];
    const length = Math.max(minItems, this.#random.below(Math.min(maxItems, 4) + 1));
    return Array.from({ length }, () => this.of(items));
  }

  #text(schema: Schema): string {
    const example = schema.examples?.length ? String(this.#random.of(schema.examples)) : undefined;
    const kind = example === undefined ? undefined : KIND.exec(example)?.[1];
    if (kind !== undefined) return this.#known.id(kind);
    if (example !== undefined && this.#random.chance(0.6)) return example;
    const choices = [...WORDS, ...TIMES, ...ADDRESSES];
    for (let tries = 0; tries < 20; tries++) {
      const choice = this.#random.of(choices);
      if (fits(schema, choice)) return choice;
    }
    return example ?? 'text';
  }

  #number({ minimum = -10, maximum = 1_000, type }: Schema): number {
    const value = minimum + this.#random.next() * (Math.min(maximum, minimum + 1_000) - minimum);
    return type === 'integer' ? Math.round(value) : value;
  }
}

function fits({ pattern, not, minLength = 0, maxLength = 1_000 }: Schema, text: string): boolean {
  if (text.length < minLength || text.length > maxLength) return false;
  if (not && new RegExp(not.pattern, 'u').test(text)) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}
