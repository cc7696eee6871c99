import type { ImportedMessage } from '../mail/import-mailbox.ts';
import { Random } from '../mail/random.ts';

/** A message to be searched for, with words as frequent as those of a language (Zipf's law). */
export interface SearchableMessage extends ImportedMessage {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** There are so many of each kind of word and pair that a question names, so that no question is asked twice. */
export const VARIANTS = 20;
/** Of so many messages in a row one has a given word that few have. */
const ONE_OF = 50_000;
const PAIR_SHARE = 0.002;
const HALF_OF_PAIR_SHARE = 0.02;
const SENDERS = 500;
const VOCABULARY = 40_000;
const SHORTEST = 20;
const LONGEST = 280;
const FIRST_DAY = Date.UTC(2016, 0, 1);
const DAYS = 3_650;
const DAY_MS = 86_400_000;
const SYLLABLES = 'ba de fi go lu ma ne pi ro su ta ve wi zo ka le mi no ru sha'.split(' ');

/** So many messages, oldest first, the same on every run. */
export function* searchableMail(count: number): Generator<SearchableMessage> {
  const random = new Random(count);
  for (let index = 0; index < count; index++) yield messageAt(random, index, count);
}

function messageAt(random: Random, index: number, count: number): SearchableMessage {
  const at = FIRST_DAY + Math.floor((index / count) * DAYS) * DAY_MS + random.below(DAY_MS);
  const from = `Sender ${wordAt(random.below(SENDERS))} <sender${random.below(SENDERS)}@example.org>`;
  const subject = prose(random, 3 + random.below(6));
  const text = lines([prose(random, SHORTEST + random.below(LONGEST - SHORTEST)), ...asked(random, index)]);
  const headers = [
    `From: ${from}`,
    'To: Owner <owner@localhost>',
    `Subject: ${subject}`,
    `Date: ${new Date(at).toUTCString()}`,
    `Message-ID: <${index}.${count}@search.example.org>`,
    'Content-Type: text/plain; charset=utf-8',
  ];
  const rfc822 = `${headers.join('\r\n')}\r\n\r\n${text}\r\n`;
  return { folder: 'Inbox', flags: ['read'], labels: [], from, subject, text, at, rfc822 };
}

/** The words and pairs that questions ask for. */
function asked(random: Random, index: number): string[] {
  const words = [`few${index % ONE_OF}`];
  for (let variant = 0; variant < VARIANTS; variant++) {
    if (random.chance(0.5)) words.push(`half${variant}`);
    if (random.chance(PAIR_SHARE)) words.push(`plan${variant} review${variant}`);
    if (random.chance(HALF_OF_PAIR_SHARE)) words.push(`review${variant} then plan${variant}`);
  }
  return words;
}

function prose(random: Random, count: number): string {
  // The logarithm of a rank is even where frequency falls as the rank rises.
  return Array.from({ length: count }, () => wordAt(Math.floor(VOCABULARY ** random.next()))).join(' ');
}

function wordAt(rank: number): string {
  let word = '';
  for (let left = rank + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length];
  return word;
}

function lines(words: readonly string[]): string {
  return words.join(' ').replace(/(.{60}\S*) /g, '$1\r\n');
}
