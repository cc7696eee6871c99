import type { Random } from '../../bench/mail/random.ts';

const ID = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;
const KEPT = 60;

/** What answers have told so far: ids by their kind, cursors and validators, so that requests meet what is there. */
export class Known {
  readonly #random: Random;
  readonly #ids = new Map<string, string[]>();
  readonly #tokens: string[] = [];
  readonly #never: ReadonlySet<string>;

  /** `never` are ids that no request may name. */
  constructor(random: Random, never: ReadonlySet<string>) {
    this.#random = random;
    this.#never = never;
  }

  learn(value: unknown): void {
    if (typeof value === 'string') this.#learnText(value);
    else if (value && typeof value === 'object') for (const part of Object.values(value)) this.learn(part);
  }

  /** An id of a kind, or of any. */
  id(kind = this.#random.of([...this.#ids.keys()])): string {
    return this.#random.of(this.#ids.get(kind) ?? ['none']);
  }

  token(): string {
    return this.#tokens.length === 0 ? 'none' : this.#random.of(this.#tokens);
  }

  #learnText(text: string): void {
    if (this.#never.has(text)) return;
    if (!ID.test(text)) {
      if (text.length > 20 && /^\S+$/.test(text)) keep(this.#tokens, text, this.#random);
      return;
    }
    const kind = kindOf(text);
    const ids = this.#ids.get(kind) ?? [];
    this.#ids.set(kind, ids);
    keep(ids, text, this.#random);
  }
}

function keep(values: string[], value: string, random: Random): void {
  if (values.includes(value)) return;
  if (values.length < KEPT) values.push(value);
  else values[random.below(KEPT)] = value;
}

function kindOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}
