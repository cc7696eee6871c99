import { join } from 'node:path';

/** The program that tests start: what was compiled for this run, else the sources. */
export const PROGRAM = process.env.ATRIUM_TEST_PROGRAM ?? join(import.meta.dirname, '..', 'src', 'main.mjs');

/** What a program that a test starts gets of the environment of the tests: where programs are, and what is compiled already. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
