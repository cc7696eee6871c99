import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The program that tests start: what was compiled for this run, else the sources. */
export const PROGRAM = process.env.ATRIUM_TEST_PROGRAM ?? join(ROOT, 'src', 'main.mjs');

/** What a program that a test starts gets of the environment of the tests: where programs are, and what is compiled already. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}

/** What `npm start` tells the C library of memory, for servers whose turns are measured as people run them. */
export function startEnvironment(): NodeJS.ProcessEnv {
  const { start } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts as { start: string };
  return Object.fromEntries(
    [...start.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
}

/** Whether a process of this group still runs. */
export function groupLives(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** Ends all that a detached process has started. */
export function killGroup(group: number): void {
  if (groupLives(group)) process.kill(-group, 'SIGKILL');
}
