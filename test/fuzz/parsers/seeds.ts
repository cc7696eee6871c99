import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const CORPUS = join(ROOT, '../shared/corpus');
const FIXTURES = join(ROOT, 'test/fixtures');
const LARGEST = 100_000;
const MOST = 300;

/** Real files where the corpus is beside the project, the fixtures that match, and texts that are always there. */
export function seeds(inCorpus: string, inFixtures: string, ...texts: string[]): Buffer[] {
  const files = [...filesIn(CORPUS, inCorpus).slice(0, MOST), ...filesIn(FIXTURES, inFixtures)];
  return [...files.map((file) => readFileSync(file)), ...texts.map((text) => Buffer.from(text))];
}

function filesIn(root: string, pattern: string): string[] {
  if (pattern === '' || !existsSync(root)) return [];
  const files = globSync(pattern, { cwd: root }).map((name) => join(root, name));
  return files.filter((file) => statSync(file).size <= LARGEST).sort();
}
