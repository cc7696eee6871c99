// Makes one file of each package that every start loads and that comes as hundreds of small modules: finding, reading
// and linking those takes longer than everything else that a start does. src/bundled-packages.ts puts the files in the
// places of the packages; without them everything works, only slower. Plain JavaScript, because setup.mjs runs it.
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** By package: its entries that are imported. */
const BUNDLED = {
  kysely: ['kysely'],
  typebox: ['typebox', 'typebox/compile'],
  'typeid-js': ['typeid-js'],
};

function readJson(...path) {
  try {
    return JSON.parse(readFileSync(join(...path), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Bundles into node_modules/.bundled, unless what is there was made of the very versions that are installed. */
export async function bundle(root) {
  const modules = join(root, 'node_modules');
  const names = Object.keys(BUNDLED);
  const versions = Object.fromEntries(
    names.map((name) => [name, readJson(modules, name, 'package.json')?.version]),
  );
  const present = readJson(modules, '.bundled', 'index.json')?.versions;
  if (names.every((name) => versions[name] === present?.[name])) return;
  const unfinished = join(modules, `.bundled-${process.pid}`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await writeFile(
    join(unfinished, 'index.json'),
    JSON.stringify({ versions, files: await build(root, unfinished) }),
  );
  await rm(join(modules, '.bundled'), { recursive: true, force: true });
  await rename(unfinished, join(modules, '.bundled'));
}

/** Answers the file of each entry. */
async function build(root, outdir) {
  const { build } = await import('esbuild');
  const entries = Object.values(BUNDLED).flat();
  const nameOf = (entry) => entry.replaceAll('/', '-');
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((entry) => [nameOf(entry), entry])),
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
  return Object.fromEntries(entries.map((entry) => [entry, `${nameOf(entry)}.mjs`]));
}
