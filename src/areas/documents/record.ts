import type { Problem } from '../../api/operation.ts';
import { MAX_METADATA_BYTES } from './schema.ts';

/** What only records of documents have, as ready JSON without braces. */
export function documentFacts(metadata: object): string {
  return JSON.stringify({ metadata }).slice(1, -1);
}

/** What is wrong with the metadata of a request. */
export function metadataProblems({ metadata }: { metadata?: object }): Problem[] {
  if (metadata === undefined) return [];
  const size = Buffer.byteLength(JSON.stringify(metadata));
  if (size <= MAX_METADATA_BYTES) return [];
  const message = `As compact JSON it has ${size} bytes; at most ${MAX_METADATA_BYTES} are kept.`;
  return [{ pointer: '/metadata', code: 'too_large', message }];
}
