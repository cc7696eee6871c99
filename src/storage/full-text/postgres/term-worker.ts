import { parentPort } from 'node:worker_threads';
import type { IndexedObject } from '../full-text-index.ts';
import { indexDigest, termsOf } from '../terms.ts';

/** An object with the terms of a part of it, as PostgreSQL stores them. */
export interface ObjectTerms {
  readonly digest: string;
  /** Portions of terms, without scope, each of which fits a row. */
  readonly parts: readonly (readonly string[])[];
}

/** A tsvector has at most a megabyte, with some bytes for each term beside its text and its scope. */
const MOST_TERMS = 15_000;

parentPort?.on('message', async (objects: readonly IndexedObject[]) => {
  const all: ObjectTerms[] = [];
  for (const object of objects) {
    const terms = [...(await termsOf(object))];
    const parts: string[][] = [];
    for (let i = 0; i < terms.length; i += MOST_TERMS) parts.push(terms.slice(i, i + MOST_TERMS));
    all.push({ digest: indexDigest(object), parts });
  }
  parentPort?.postMessage(all);
});
