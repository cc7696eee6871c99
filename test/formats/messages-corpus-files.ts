import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const CORPUS = join(ROOT, '..', 'shared', 'corpus');
const FIXTURES = join(ROOT, 'test', 'fixtures', 'mail');

export interface CorpusFile {
  name: string;
  bytes: Buffer;
}

/** A reason to skip where the collection of real mail is not beside the project; else false. */
export const noCorpus = existsSync(CORPUS) ? false : 'the collection of real mail is not on this machine';

export function corpusFiles(folder: 'mail' | 'mbox', ending: string): CorpusFile[] {
  if (noCorpus) return [];
  return readdirSync(join(CORPUS, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ name, bytes: readFileSync(join(CORPUS, folder, name)) }));
}

export function fixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

export function fixtures(ending: string): CorpusFile[] {
  return readdirSync(FIXTURES)
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ name, bytes: fixture(name) }));
}

/** The bytes in pieces of this size, as a stream brings them. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
