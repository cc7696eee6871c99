// Makes one file of each package that every start loads and that comes as hundreds of small modules: finding, reading
// and linking those takes longer than everything else that a start does. src/bundled-packages.ts puts the files in the
// places of the packages; without them everything works, only slower. Plain JavaScript, because setup.mjs runs it.
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * By package: its entries that are imported, all of them, because an entry that is loaded from elsewhere has modules of
 * its own: what it sets would not be set for the others.
 */
const BUNDLED = {
  kysely: ['kysely'],
  typebox: ['typebox', 'typebox/compile', 'typebox/value'],
};

/** The file of each entry. */
const FILES = Object.fromEntries(
  Object.values(BUNDLED)
    .flat()
    .map((entry) => [entry, `${entry.replaceAll('/', '-')}.mjs`]),
);

function readJson(...path) {
  try {
    return JSON.parse(readFileSync(join(...path), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Bundles into node_modules/.bundled, unless what is there has these entries of the very versions that are installed. */
export async function bundle(root) {
  const modules = join(root, 'node_modules');
  const versions = installedVersions(modules);
  if (Object.keys(versions).length === 0) return;
  const index = JSON.stringify({ versions, files: FILES });
  const isThere = () => JSON.stringify(readJson(modules, '.bundled', 'index.json')) === index;
  if (isThere()) return;
  const unfinished = join(modules, `.bundled-${process.pid}`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await build(root, unfinished);
  await writeFile(join(unfinished, 'index.json'), index);
  await publish(unfinished, join(modules, '.bundled'), isThere);
}

async function publish(unfinished, target, isThere) {
  try {
    await rename(unfinished, target);
  } catch {
    // From what another start has put there meanwhile it may load already.
    await rm(isThere() ? unfinished : target, { recursive: true, force: true });
    if (!isThere()) await rename(unfinished, target);
  }
}

function installedVersions(modules) {
  const installed = Object.keys(BUNDLED).map((name) => [
    name,
    readJson(modules, name, 'package.json')?.version,
  ]);
  return Object.fromEntries(installed.filter(([, version]) => version !== undefined));
}

async function build(root, outdir) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      Object.entries(FILES).map(([entry, file]) => [file.replace(/\.mjs$/, ''), entry]),
    ),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What two entries share is there once.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    logLevel: 'silent',
  });
}
