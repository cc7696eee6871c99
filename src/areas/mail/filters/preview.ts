import type { PlacedMessage } from '../listing/listing.ts';
import type { ScannedMessages } from './folder-scan.ts';
import { PREVIEWED_BYTES, PREVIEWED_MESSAGES } from './schema.ts';

/** What of the mail already there a rule would match. */
export interface Previewed {
  scanned: number;
  matched: number;
  /** The newest that match. */
  shown: readonly PlacedMessage[];
}

/** Looks at messages until the bounds of a preview are reached, and keeps at most `limit` of those that match. */
export async function preview(portions: AsyncIterable<ScannedMessages>, limit: number): Promise<Previewed> {
  let [scanned, matched, bytes] = [0, 0, 0];
  const shown: PlacedMessage[] = [];
  for await (const portion of portions) {
    scanned += portion.scanned;
    bytes += portion.bytes;
    matched += portion.matching.length;
    shown.push(...portion.matching.slice(0, limit - shown.length));
    if (scanned >= PREVIEWED_MESSAGES || bytes >= PREVIEWED_BYTES) break;
  }
  return { scanned, matched, shown };
}
