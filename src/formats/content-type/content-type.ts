import { askMagic } from './magic-thread.ts';
import { correctedType } from './signatures.ts';
import { textType } from './text-types.ts';

/** How many bytes, from the first, the type is told by. */
export const HEAD_BYTES = 1024 * 1024;

export const UNKNOWN_TYPE = 'application/octet-stream';
export const EMPTY_TYPE = 'application/x-empty';

/**
 * The type of content by its first bytes, at most HEAD_BYTES of them. The filename is asked only where they are text
 * without a signature. docs/content-types.md tells what the answers agree with.
 */
export async function contentTypeOf(head: Uint8Array, filename: string): Promise<string> {
  if (head.length === 0) return EMPTY_TYPE;
  const type = correctedType(await typeBySignature(head), head);
  return textType(type, head, filename) ?? type;
}

/** Content that libmagic cannot cope with has no type that is known; that is no reason to refuse it. */
async function typeBySignature(head: Uint8Array): Promise<string> {
  try {
    return (await askMagic(head)).toLowerCase();
  } catch {
    return UNKNOWN_TYPE;
  }
}
