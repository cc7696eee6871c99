import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, manifestText } from '../src/archive/manifest.ts';

/** Changes the manifest of a backup and gives it the digest of what it says then. */
export async function changeManifest(directory: string, change: (manifest: Manifest) => void): Promise<void> {
  const path = join(directory, 'manifest.json');
  const { sha256: _, ...manifest } = JSON.parse(await readFile(path, 'utf8'));
  change(manifest);
  await writeFile(path, manifestText(manifest));
}

/** Changes it as a fault or a slip of the hand would: the digest stays what it was. */
export async function damageManifest(directory: string, change: (manifest: Manifest) => void): Promise<void> {
  const path = join(directory, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  change(manifest);
  await writeFile(path, JSON.stringify(manifest));
}
