import { typeid } from 'typeid-js';

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

/** A new id: the prefix and a UUIDv7 in base 32, so ids of one process sort by creation. */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}
