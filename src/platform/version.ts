import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the product, as package.json has it: above this file, or above the compiled one that it becomes a part of. */
export const VERSION: string = JSON.parse(
  readFileSync(findPackageJSON(import.meta.url) as string, 'utf8'),
).version;
