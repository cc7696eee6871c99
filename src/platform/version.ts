import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the product from package.json, which is above this file, or above the compiled file that contains it. */
export const VERSION: string = JSON.parse(
  readFileSync(findPackageJSON(import.meta.url) as string, 'utf8'),
).version;
