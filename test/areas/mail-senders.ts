/** From headers by the hundred: those of real mail, and names that are made to be taken for addresses. */
import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { CORPUS, realMessages } from './mail-bytes.ts';

const HEADER = /^From:[ \t]*(.*(?:\r?\n[ \t].*)*)/gim;

/** The distinct From headers of the messages and mailbox files of the corpus, as bytes on one line. */
export function realSenders(): Buffer[] {
  const mailboxes = globSync(`${CORPUS}/mbox/*`).map((path) => readFileSync(path, 'latin1'));
  const heads = realMessages().map(
    ([, path]) => readFileSync(path, 'latin1').split(/\r?\n\r?\n/, 1)[0] ?? '',
  );
  const found = [...heads, ...mailboxes].flatMap((text) =>
    [...text.matchAll(HEADER)].map(([, value]) => value),
  );
  const lines = found.map((value = '') => value.replace(/\r?\n/g, '').trim());
  return [...new Set(lines)].filter((line) => line !== '').map((line) => Buffer.from(line, 'latin1'));
}

const PIECES = [
  ...['Acme', '<billing@acme.example>', 'billing@acme.example', 'a@b.example,', 'undisclosed-recipients:;'],
  ...[',', ';', ':', '"', '\\', '(', ')', '[', ']', '@', '.', '<', '>', "'", ' ', '  ', '\u00a0', '\u202e'],
  ...['ü', '渡辺', '=?utf-8?q?x?=', '"Acme" <billing@acme.example>', '(billing@acme.example)', '\\"'],
];

const MALLORY = 'mallory@evil.example';

/** Each way in which a sender may write a name before an address. */
const WRITINGS: ((name: string) => string)[] = [
  (name) => `"${name.replace(/[\\"]/g, '\\$&')}" <${MALLORY}>`,
  (name) => `=?utf-8?b?${Buffer.from(name).toString('base64')}?= <${MALLORY}>`,
  (name) =>
    `=?UTF-8?Q?${[...Buffer.from(name)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('')}?=\r\n <${MALLORY}>`,
];

/** So many distinct headers whose names pretend, with the address that each of them names. */
export function hostileSenders(count: number): [header: Buffer, address: string][] {
  const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 });
  const headers = fc.tuple(pieces, fc.constantFrom(...WRITINGS)).map(([name, write]) => write(name.join('')));
  const { seed = 1 } = fc.readConfigureGlobal();
  const found = new Set<string>();
  for (let round = 0; found.size < count; round++)
    for (const header of fc.sample(headers, { seed: seed + round, numRuns: count }))
      if (found.size < count) found.add(header);
  return [...found].map((header) => [Buffer.from(header), MALLORY]);
}

/** RFC 5322 3.2.3 with RFC 6532: a character of a word that is not quoted. */
const ATOM = /[\p{L}\p{N}\p{M}\p{S}\p{P}\p{Z}\p{C}]/u;
const SPECIALS = new Set('()<>[]:;@\\,." \t');

/**
 * The address of one mailbox by the letter of RFC 5322, as the parsers of Go and of mail servers read it: a phrase of words
 * and quoted strings, then an address in brackets and nothing behind it; or the address alone. Undefined for anything else.
 */
export function readStrictly(text: string): string | undefined {
  let at = 0;
  const blanks = () => {
    while (text[at] === ' ' || text[at] === '\t') at++;
  };
  const atom = () => {
    const start = at;
    while (at < text.length && isAtomCharacter(text[at] ?? '')) at++;
    return text.slice(start, at);
  };
  const quoted = () => {
    for (at++; at < text.length; at++) {
      if (text[at] === '\\') at++;
      else if (text[at] === '"') return ++at > 0;
    }
    return false;
  };
  const address = () => {
    const start = at;
    for (const part of ['@', undefined]) {
      for (;;) {
        if (atom() === '') return undefined;
        if (text[at] !== '.') break;
        at++;
      }
      if (part === undefined) return text.slice(start, at);
      if (text[at++] !== part) return undefined;
    }
    return undefined;
  };
  const alone = address();
  if (alone !== undefined && at === text.length) return alone;
  for (at = 0; ; ) {
    blanks();
    if (text[at] === '<') break;
    if (text[at] === '"' ? !quoted() : atom() === '') return undefined;
  }
  at++;
  const bracketed = address();
  return bracketed !== undefined && text[at] === '>' && at === text.length - 1 ? bracketed : undefined;
}

function isAtomCharacter(character: string): boolean {
  return !SPECIALS.has(character) && ATOM.test(character);
}
