/**
 * Puts packages of hundreds of files each into a few, for the tests: nearly every test file imports them, and it took a
 * quarter of what it takes to import the program to find and read nine hundred files.
 */
import { resolve } from 'node:path';
import { build, stop } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

/** Always the same, for by their path is kept what Node has compiled. */
export const BUNDLED_PACKAGES = resolve(ROOT, 'node_modules', '.cache', 'packages');

/** All that is imported of these packages. */
const ENTRIES = ['kysely', 'typebox', 'typebox/compile', 'typebox/value'];

export async function bundlePackages(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((entry) => ({ in: entry, out: entry })),
    outdir: BUNDLED_PACKAGES,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Each class is there once, whichever entry it is taken from.
    splitting: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  // Its process would wait for more.
  await stop();
}
