import { Recent } from './recent.ts';
import type { ReadInput } from './validation.ts';

/** In characters, which are bytes of a body here: some hundred questions of each operation. */
const MOST_ROOM = 200_000;
const LONGEST = 10_000;

/**
 * Questions that came in a body lately and that fit their schemas. Whoever watches something asks the same again and
 * again, byte for byte, and to read such a body costs as much as to answer it.
 */
export class Questions {
  readonly #recent = new Recent<ReadInput>({ mostRoom: MOST_ROOM, largest: LONGEST });

  /** The question of these bytes at this path and query: as it was read before, or as `read` reads it. */
  of(url: string, body: Buffer, read: () => ReadInput): ReadInput {
    if (body.length > LONGEST) return read();
    const key = `${url}\n${body.toString('latin1')}`;
    const known = this.#recent.get(key);
    if (known) return known;
    const question = read();
    // Everybody who asks is given the same: nobody may change it.
    if (question.problems.length === 0) this.#recent.set(key, frozen(question), body.length);
    return question;
  }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
