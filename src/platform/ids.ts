import { uuidv7obj } from 'uuidv7';

/** The kind of record that an id identifies: the prefix of the id in the API. */
export type IdPrefix =
  | 'wsp'
  | 'usr'
  | 'grp'
  | 'res'
  | 'key'
  | 'fld'
  | 'flt'
  | 'msg'
  | 'drf'
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
  | 'move'
  | 'abk'
  | 'con'
  | 'cal'
  | 'evt'
  | 'chg'
  | 'whk'
  | 'wha'
  | 'whd';

/** Crockford's base 32, in lower case: the digits sort in the order of their values. */
export const ID_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new TypeID: the prefix and a UUIDv7 (RFC 9562, section 5.7) in base 32. Ids of one process sort by creation, unless
 * its clock is set back by more than ten seconds.
 */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${inBase32(uuidv7obj().bytes)}`;
}

/** A bound for finding ids by time (milliseconds): ids created before it sort below, all others above. */
export function firstIdAt(prefix: IdPrefix, milliseconds: number): string {
  const uuid = Buffer.alloc(16);
  uuid.writeUIntBE(Math.max(milliseconds, 0), 0, 6);
  return `${prefix}_${inBase32(uuid)}`;
}

/** The 128 bits of a UUID, after two zero bits, as 26 digits of five bits each. */
function inBase32(uuid: Uint8Array): string {
  let digits = '';
  let bits = 0;
  let count = 2;
  for (const byte of uuid) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5; ) {
      count -= 5;
      digits += ID_DIGITS[(bits >>> count) & 31];
    }
  }
  return digits;
}
