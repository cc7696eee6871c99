/**
 * Puts packages of many files each into a few, for the tests: nearly every test file imports them, and it took a
 * quarter of what it takes to import the program to find and read nine hundred files.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { build, type Plugin, stop } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

/** Always the same, for by their path is kept what Node has compiled. */
export const BUNDLED_PACKAGES = resolve(ROOT, 'node_modules', '.cache', 'packages');

/** All that is imported of these packages. */
const ENTRIES = ['kysely', 'typebox', 'typebox/compile', 'typebox/value', 'htmlparser2', 'html-to-text'];

/** Packages of CommonJS, of which the names that they give to others are known only once they are loaded. */
const WRAPPED = ['prom-client', 'sanitize-html'];

const wrapped: Plugin = {
  name: 'packages with their names',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^wrapped:/ }, ({ path }) => ({
      path: path.slice('wrapped:'.length),
      namespace: 'wrapped',
    }));
    onLoad({ filter: /.*/, namespace: 'wrapped' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path)).join(', ');
      const contents = `import all from '${path}'; export default all; export const { ${names} } = all;`;
      return { contents, resolveDir: ROOT };
    });
  },
};

export async function bundlePackages(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [
      ...ENTRIES.map((entry) => ({ in: entry, out: entry })),
      ...WRAPPED.map((entry) => ({ in: `wrapped:${entry}`, out: entry })),
    ],
    plugins: [wrapped],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
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
