import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const directory = process.env.ATRIUM_TEST_PACKAGES;
const BUNDLED = /^(?:kysely|typebox)(?:\/|$)/;

/** Imported before every test file: takes the packages that the test run has bundled from there (scripts/bundle-packages.ts). */
if (directory !== undefined)
  registerHooks({
    resolve(specifier, context, next) {
      if (!BUNDLED.test(specifier)) return next(specifier, context);
      const { href } = pathToFileURL(join(directory, `${specifier}.mjs`));
      return { url: href, format: 'module', shortCircuit: true };
    },
  });
