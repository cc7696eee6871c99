import { hash } from 'node:crypto';
import { foldUnicode, isAscii } from '../../../text/fold.ts';
import { keeping } from '../../../text/keeping.ts';

/** UTF-16 units: a folded address of more is no address of anybody, and to store and compare it is dear. */
const LONGEST_KEY = 508;

/** Under which an address is compared and stored, without regard to case. */
export function addressKey(email: string): string {
  return isAscii(email) ? email.toLowerCase() : keyKept(email);
}

/** The key of an address that is folded. A longer one has a digest, which no address can be: it has a space. */
export function keyOfFolded(folded: string): string {
  return folded.length <= LONGEST_KEY ? folded : `sha256 ${hash('sha256', folded, 'base64url')}`;
}

/** As many as the largest event lists: its addresses are compared many times while it is stored. */
const MOST_KEPT = 8_000_000;
const keyKept = keeping((email) => keyOfFolded(foldUnicode(email)), MOST_KEPT);
