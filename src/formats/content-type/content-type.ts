import { askMagic } from './magic-thread.ts';
import { isProse } from './prose.ts';
import { correctedType } from './signatures.ts';
import { textType } from './text-types.ts';

/** How many bytes, from the first, tell most types. */
export const HEAD_BYTES = 64 * 1024;

/** How many bytes are looked at where those of the head are not enough. */
export const LONG_HEAD_BYTES = 1024 * 1024;

const UNKNOWN_TYPE = 'application/octet-stream';
export const EMPTY_TYPE = 'application/x-empty';

/** The directory of such a document, which tells what it is, may be anywhere in it. */
const OLE_TYPE = 'application/x-ole-storage';

/** What a type is told by. */
export interface TypedContent {
  filename: string;
  /** The first HEAD_BYTES, or all that there are. */
  head: Uint8Array;
  /** The first LONG_HEAD_BYTES. */
  longHead(): Promise<Uint8Array>;
}

/**
 * The type of content by its first bytes. The filename is asked only where they are text without a signature.
 * docs/content-types.md tells what the answers agree with. Rejects where `longHead` does.
 */
export async function contentTypeOf({ filename, head, longHead }: TypedContent): Promise<string> {
  if (head.length === 0) return EMPTY_TYPE;
  const type = await typeOf(head, filename);
  if (head.length < HEAD_BYTES || !needsMore(type, head)) return type;
  return typeOf(await longHead(), filename);
}

async function typeOf(head: Uint8Array, filename: string): Promise<string> {
  const type = correctedType(await typeBySignature(head), head);
  return textType(type, head, filename) ?? type;
}

/** JSON is told by its end as well. */
function needsMore(type: string, head: Uint8Array): boolean {
  return type === OLE_TYPE || (type.startsWith('text/') && /^(?:\xEF\xBB\xBF)?\s*[[{]/.test(beginning(head)));
}

function beginning(head: Uint8Array): string {
  return Buffer.from(head.subarray(0, 1024)).toString('latin1');
}

/** Content that libmagic cannot cope with has no type that is known; that is no reason to refuse it. */
async function typeBySignature(head: Uint8Array): Promise<string> {
  try {
    return (await askMagic(head, isProse(head) ? 'binary' : 'all')).toLowerCase();
  } catch {
    return UNKNOWN_TYPE;
  }
}
