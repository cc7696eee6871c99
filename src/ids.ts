import { randomFillSync } from 'node:crypto';

/** The kind of record an id names: its prefix on the wire. */
export type IdPrefix =
  | 'wsp'
  | 'usr'
  | 'grp'
  | 'res'
  | 'key'
  | 'fld'
  | 'flt'
  | 'msg'
  | 'att'
  | 'thr'
  | 'blob'
  | 'dlv'
  | 'out'
  | 'file'
  | 'doc'
  | 'sht'
  | 'dir'
  | 'perm'
  | 'upl'
  | 'abk'
  | 'con'
  | 'cal'
  | 'evt';

/** Crockford's base 32, in lower case. */
const DIGITS = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz');

/** 130 bits: two that are zero, and the 128 of the UUID. */
const LENGTH = 26;

/** The digits of the time (48 bits), and of the random end; between them stand version, variant and counter. */
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 9;

/** The counter has 29 bits. It starts each millisecond at a random place of the lower half, so that there is room to count. */
const COUNTER_END = 2 ** 29;
const COUNTER_START_MASK = 2 ** 28 - 1;

const POOL_BYTES = 4_096;

const id = Buffer.alloc(LENGTH);
const pool = Buffer.alloc(POOL_BYTES);
let taken = POOL_BYTES;
let time = 0;
let counter = 0;

/** A new id: the prefix and a UUIDv7 (RFC 9562, 5.7) in base 32, so ids of one process sort by creation. */
export function newId(prefix: IdPrefix): string {
  if (taken > POOL_BYTES - LENGTH) refillPool();
  count(Date.now());
  writeDigits(id, counterDigits(), TIME_DIGITS, LENGTH - RANDOM_DIGITS);
  for (let at = LENGTH - RANDOM_DIGITS; at < LENGTH; at++) id[at] = DIGITS[(pool[taken++] ?? 0) & 31] ?? 0;
  return `${prefix}_${id.toString('latin1')}`;
}

/** To find ids by their time (milliseconds): all that were made before sort before this, all others behind it. */
export function firstIdAt(prefix: IdPrefix, milliseconds: number): string {
  const digits = Buffer.alloc(TIME_DIGITS);
  writeDigits(digits, Math.max(milliseconds, 0), 0, TIME_DIGITS);
  return `${prefix}_${digits.toString('latin1')}`;
}

/** Where the clock stands still or goes back, the counter goes on (RFC 9562, 6.2). */
function count(now: number): void {
  if (now > time) startMillisecond(now);
  else if (++counter === COUNTER_END) startMillisecond(time + 1);
}

function startMillisecond(now: number): void {
  time = now;
  counter = pool.readUInt32LE(taken) & COUNTER_START_MASK;
  taken += 4;
  writeDigits(id, time, 0, TIME_DIGITS);
}

/** 35 bits: the version (0111), twelve of the counter, the variant (10), and its other seventeen. */
function counterDigits(): number {
  const high = Math.floor(counter / 2 ** 17);
  return (0b0111 * 2 ** 12 + high) * 2 ** 19 + 0b10 * 2 ** 17 + (counter % 2 ** 17);
}

function writeDigits(target: Buffer, value: number, from: number, to: number): void {
  let rest = value;
  for (let at = to - 1; at >= from; at--) {
    target[at] = DIGITS[rest % 32] ?? 0;
    rest = Math.floor(rest / 32);
  }
}

function refillPool(): void {
  randomFillSync(pool);
  taken = 0;
}
