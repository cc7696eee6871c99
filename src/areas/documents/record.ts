import type { Problem } from '../../contract/operation.ts';
import { pointerTo, ViolationList } from '../../contract/violations.ts';
import { jsonMembers } from '../../text/json-members.ts';
import { MAX_METADATA_BYTES } from './schema.ts';

/** What only records of documents have, as ready JSON without braces. */
export function documentFacts(metadata: object): string {
  return jsonMembers({ metadata });
}

/** What is wrong with the metadata of a request. */
export function metadataProblems({ metadata }: { metadata?: object }): Problem[] {
  if (metadata === undefined) return [];
  const size = Buffer.byteLength(JSON.stringify(metadata));
  if (size <= MAX_METADATA_BYTES) return infiniteNumbers(metadata);
  const message = `As compact JSON it has ${size} bytes; at most ${MAX_METADATA_BYTES} are kept.`;
  return [{ pointer: '/metadata', code: 'too_large', message }];
}

/** JSON writes numbers of any size, such as 1e400; one that is read as infinite could not be given back. */
function infiniteNumbers(metadata: object): Problem[] {
  const found = new ViolationList();
  collectInfinite(metadata, '/metadata', found);
  return found.all;
}

function collectInfinite(value: unknown, pointer: string, found: ViolationList): void {
  if (found.isFull) return;
  if (typeof value === 'number' && !Number.isFinite(value))
    found.add({ pointer, code: 'out_of_range', message: 'The number is too large to be kept.' });
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) collectInfinite(member, pointerTo(pointer, key), found);
}
