/**
 * Loaded into a server before anything else of it. While the file exists that the environment names, the module of
 * libmagic cannot be read, and each try is told on standard error; where none is named, its thread cannot be loaded.
 */
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';

const missingWhile = process.env.ATRIUM_TEST_LIBMAGIC_MISSING_WHILE;

if (missingWhile === undefined) {
  registerHooks({
    resolve: (specifier, context, next) => {
      if (/libmagic-worker\.[jt]s$/.test(specifier)) throw new Error('It cannot be resolved');
      return next(specifier, context);
    },
  });
} else {
  const { readFileSync } = fs;
  fs.readFileSync = ((path: fs.PathLike, ...options: []) => {
    if (String(path).endsWith('libmagic-wrapper.wasm') && fs.existsSync(missingWhile)) {
      fs.writeSync(2, 'a try to load libmagic\n');
      throw new Error('It cannot be read');
    }
    return readFileSync(path, ...options);
  }) as typeof fs.readFileSync;
  syncBuiltinESMExports();
}
