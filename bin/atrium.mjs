#!/usr/bin/env node
// Starts Atrium on the Node that is installed with it, which is newer than many a host's. Any Node from 20 on reads this:
// hence plain JavaScript and no dependency. Why it is as it is: docs/decisions/0022-published-packages.md.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** npx starts a shell, which may die of the signal that stops npx and hand it on to nobody. */
const isOfNpx = process.env.npm_lifecycle_event === 'npx';
const parent = process.ppid;
const PARENT_EVERY_MS = 500;

const root = fileURLToPath(new URL('..', import.meta.url));
const { optionalDependencies, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The Nodes of all platforms; npm installs that of this one. */
const packagedNodes = Object.keys(optionalDependencies);
const neededNode = Number.parseInt(optionalDependencies[packagedNodes[0]], 10);

/** Where the packaged Node is, if there is one. */
function packagedNode() {
  const { resolve } = createRequire(import.meta.url);
  for (const name of packagedNodes) {
    try {
      return resolve(`${name}/bin/node`);
    } catch {
      // It is that of another platform.
    }
  }
  return undefined;
}

/** The Node to run on: the packaged one, with which everything is tested, else that of the host. Throws where neither fits. */
function findNode() {
  const packaged = packagedNode();
  // It may need another C library than the host has.
  const trial = packaged && spawnSync(packaged, ['--version'], { encoding: 'utf8' });
  if (trial?.status === 0) return packaged;
  if (Number.parseInt(process.versions.node, 10) >= neededNode) return process.execPath;
  const { platform, arch, version } = process;
  const why = trial
    ? `the one that came with Atrium does not run (${(trial.error?.message ?? trial.stderr).trim()})`
    : `none for ${platform} ${arch} came with Atrium`;
  throw new Error(`Atrium needs Node ${neededNode} or newer, and this is ${version}: ${why}`);
}

/** What `npm start` tells Node and the C library, for a server: docs/decisions/0014-memory-settings.md. */
function settingsFor(command) {
  if (command !== 'serve') return { options: [], environment: {} };
  const words = scripts.start.split(' ');
  const settings = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('='));
  return {
    options: words.filter((word) => word.startsWith('--')),
    environment: Object.fromEntries(settings),
  };
}

/** The program: compiled in a package, the sources in a clone. */
function findProgram() {
  const sources = join(root, 'src', 'main.mjs');
  return existsSync(sources) ? sources : join(root, 'dist', 'main.js');
}

/** Runs it beside this process, which hands on signals one way and the end the other. */
function runBeside(node, args, env) {
  const child = spawn(node, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (isOfNpx) setInterval(() => process.ppid !== parent && child.kill(), PARENT_EVERY_MS).unref();
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

try {
  const node = findNode();
  const { options, environment } = settingsFor(process.argv[2]);
  const args = [...options, findProgram(), ...process.argv.slice(2)];
  const env = { ...process.env, ...environment };
  // Node 22.15 and newer become the program: one process that nobody has to hand anything on to.
  if (process.execve && !isOfNpx) process.execve(node, [node, ...args], env);
  runBeside(node, args, env);
} catch (error) {
  console.error(`${error.message}.`);
  process.exitCode = 1;
}
