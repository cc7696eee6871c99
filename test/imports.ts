import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const packages = process.env.ATRIUM_TEST_PACKAGES;
const program = process.env.ATRIUM_TEST_PROGRAM;
const BUNDLED = /^(?:(?:kysely|typebox)(?:\/|$)|(?:html-to-text|htmlparser2|prom-client|sanitize-html)$)/;
/** Such a module is named by its whole address only where a thread begins with it. */
const OF_THREAD = /^file:.*\/src\/.*-(?:worker|entry)\.ts$/;

/**
 * Imported before every test file, where the test run has prepared what to take in place of what is installed and written:
 * packages that it has bundled (scripts/bundle-packages.ts), and the compiled files of threads, a tenth of those that they
 * are made of. Files beside the importing one need not be looked for: nearly all of a thousand imports are such.
 */
if (packages !== undefined && program !== undefined) {
  const foundAt = (path: string) => ({
    url: pathToFileURL(path).href,
    format: 'module',
    shortCircuit: true,
  });
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL !== undefined) {
        const { href } = new URL(specifier, context.parentURL);
        return { url: href, format: 'module-typescript', shortCircuit: true };
      }
      if (BUNDLED.test(specifier)) return foundAt(join(packages, `${specifier}.mjs`));
      if (OF_THREAD.test(specifier))
        return foundAt(join(program, '..', basename(specifier).replace(/ts$/, 'js')));
      return next(specifier, context);
    },
  });
}
