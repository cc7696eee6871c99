/**
 * Compiles the program into `dist/`: what an installed package runs, for Node does not read TypeScript there, and what the
 * tests start, for a start from a hundred files takes a third of the processor time of one from 1,500.
 */
import { globSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { build, type Plugin, stop } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

/** Packages of hundreds of files each, which are put into the files of the program; all others are loaded as installed. */
const INCLUDED = ['kysely', 'typebox'];

/** A file of a package, and which. */
const OF_PACKAGE = /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Below package.json, where the program reads its version. */
export const COMPILED_PROGRAM = resolve(ROOT, 'dist', 'main.js');

/**
 * Removes what was compiled before. Resolves to the names of the packages that are in the files of the program. Rejects where
 * the sources cannot be compiled.
 */
export async function compile(): Promise<string[]> {
  const outdir = resolve(ROOT, 'dist');
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.mjs', ...globSync('src/**/*-{worker,entry}.ts', { cwd: ROOT })].map(
      inOneDirectory,
    ),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: externalPackages(),
    plugins: [threads],
    metafile: true,
    logLevel: 'warning',
  });
  // Its process would wait for more.
  await stop();
  const names = Object.keys(metafile.inputs).map((path) => OF_PACKAGE.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Threads look for their files beside the file that starts them, which may be any of those that are made. */
function inOneDirectory(source: string): { in: string; out: string } {
  return { in: source, out: basename(source).replace(/\.\w+$/, '') };
}

const threads: Plugin = {
  name: 'files of threads',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace(/(?<=new URL\('\.\/[\w-]+)\.ts(?=', import\.meta\.url\))/g, '.js');
      return { contents, loader: 'ts' };
    });
  },
};

function externalPackages(): string[] {
  const { dependencies } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !INCLUDED.includes(name));
  return external.flatMap((name) => [name, `${name}/*`]);
}

if (import.meta.main) await compile();
