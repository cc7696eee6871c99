import type { Random } from '../../../bench/mail/random.ts';

/** What parsers look for, and what they stumble over. */
const MORSELS = [
  '\0',
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\r\n ',
  '\\',
  '"',
  "'",
  ':',
  ';',
  ',',
  '=',
  '&',
  '<',
  '>',
  '<!--',
  '<script>',
  '<![CDATA[',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '%',
  '--',
  '-1',
  '0',
  '1e309',
  '9'.repeat(400),
  'NaN',
  '__proto__',
  '\ufeff',
  '\u202e',
  '\ud83d\ude00',
  '\u00e9',
  '\u0130',
  '=?utf-8?B?w7w=?=',
  'BEGIN:VEVENT',
  'END:VCARD',
  'From ',
  'boundary=',
  '99991231T235960Z',
];
const ODD_BYTES = [0x00, 0x0a, 0x0d, 0x20, 0x22, 0x7f, 0x80, 0xc0, 0xed, 0xf8, 0xfe, 0xff];
const LONGEST_RUN = 20_000;

type Change = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const CHANGES: readonly Change[] = [
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    for (let i = random.below(8); i >= 0; i--)
      changed[random.below(bytes.length)] = random.chance(0.5) ? random.of(ODD_BYTES) : random.below(256);
    return changed;
  },
  (bytes, random) => insert(bytes, random, Buffer.from(random.of(MORSELS))),
  (bytes, random) => insert(bytes, random, piece(bytes, random)),
  (bytes, random, other) => insert(bytes, random, piece(other, random)),
  (bytes, random) => insert(bytes, random, repeated(Buffer.from(random.of(MORSELS)), random)),
  (bytes, random) => insert(bytes, random, repeated(piece(bytes, random).subarray(0, 50), random)),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => {
    const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].sort((a, b) => a - b);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
];

/** The bytes, changed in a few ways; `other` lends pieces. */
export function mutated(bytes: Buffer, other: Buffer, random: Random): Buffer {
  let changed = bytes;
  for (let times = 1 + random.below(4); times > 0; times--)
    changed = random.of(CHANGES)(changed.length > 0 ? changed : Buffer.from(' '), random, other);
  return changed;
}

function insert(bytes: Buffer, random: Random, what: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);
}

function piece(bytes: Buffer, random: Random): Buffer {
  const from = random.below(bytes.length + 1);
  return bytes.subarray(from, from + random.below(500));
}

function repeated(what: Buffer, random: Random): Buffer {
  return Buffer.concat(Array(1 + random.below(LONGEST_RUN / Math.max(1, what.length))).fill(what));
}
