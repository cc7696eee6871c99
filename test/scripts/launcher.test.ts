/** What starts the program of a package, with a program in its place that tells how it was started. */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { oldestNodeFor } from '../host-nodes.ts';
import { killGroup, startEnvironment } from '../program.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Tells what it was started with, and then does what it was told to. */
const PROGRAM = `
const { argv: [, file, ...args], env, execArgv, pid } = process;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    console.log(signal);
    process.exit(7);
  });
console.log(JSON.stringify({ file, args, execArgv, env, pid }));
if (args[0] === 'end') process.exit(Number(args[1]));
if (args[0] === 'die') process.kill(pid, args[1]);
if (args[0] === 'wait') setInterval(() => undefined, 1000);
`;

/** The one that the host has becomes a parent of the program where it is too old to become the program. */
const NODES = new Map(
  [oldestNodeFor('.'), { path: process.execPath, version: process.versions.node }].map((node) => [
    node.path,
    node,
  ]),
);

const packages: string[] = [];
after(() => {
  for (const root of packages) rmSync(root, { recursive: true });
});

for (const { path, version } of NODES.values()) {
  describe(`the launcher on Node ${version}`, { timeout: 60_000 }, () => {
    it('starts the compiled program on the packaged Node, with its arguments', () => {
      const root = makePackage();
      const { file, args, env } = told(launch(path, root, 'user', 'list', '--json'));
      assert.deepEqual([file, args], [join(root, 'dist/main.js'), ['user', 'list', '--json']]);
      assert.equal(env.STARTED_BY, 'the packaged Node');
    });

    it('starts the sources in a clone', () => {
      const root = makePackage();
      mkdirSync(join(root, 'src'));
      writeFileSync(join(root, 'src/main.mjs'), PROGRAM);
      assert.equal(told(launch(path, root)).file, join(root, 'src/main.mjs'));
    });

    it('tells Node and the C library of memory what npm start tells them, for a server alone', () => {
      const root = makePackage();
      const server = told(launch(path, root, 'serve'));
      assert.ok(server.execArgv.length > 1);
      assert.deepEqual(
        server.execArgv,
        scripts.start.split(' ').filter((word: string) => word.startsWith('--')),
      );
      const settings = Object.entries(startEnvironment());
      assert.ok(settings.length > 1);
      for (const [name, value] of settings) assert.equal(server.env[name], value, name);
      const command = told(launch(path, root, 'doctor', 'serve'));
      assert.deepEqual(command.execArgv, []);
      for (const [name] of settings) assert.equal(command.env[name], undefined, name);
    });

    it('ends with what the program ends with', () => {
      const root = makePackage();
      assert.equal(launch(path, root, 'end', '3').status, 3);
      const { status, signal } = launch(path, root, 'die', 'SIGKILL');
      assert.ok(signal === 'SIGKILL' || status === 128 + constants.signals.SIGKILL, `${status} ${signal}`);
    });

    it('hands signals on', async (t) => {
      const root = makePackage();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        const child = spawn(path, [join(root, 'bin/atrium.mjs'), 'wait'], { env: {}, detached: true });
        t.after(() => killGroup(child.pid ?? assert.fail('it did not start')));
        const output = text(child.stdout);
        await once(child.stdout, 'data');
        child.kill(signal);
        assert.deepEqual(await once(child, 'close'), [7, null]);
        assert.match(await output, new RegExp(`^${signal}$`, 'm'));
      }
    });

    it('ends the program when the shell of npx is gone', async (t) => {
      const root = makePackage();
      // The last command of a shell may take its place.
      const script = `'${path}' '${join(root, 'bin/atrium.mjs')}' wait; true`;
      const env = { PATH: process.env.PATH, npm_lifecycle_event: 'npx' };
      const npx = spawn('sh', ['-c', script], { env, detached: true });
      t.after(() => killGroup(npx.pid ?? assert.fail('sh did not start')));
      let output = '';
      for await (const chunk of npx.stdout) {
        if (!output.includes('"pid"') && `${output}${chunk}`.includes('"pid"')) npx.kill('SIGTERM');
        output += chunk;
      }
      assert.match(output, /^SIGTERM$/m);
    });

    it('becomes the program where its Node can, so that nobody has to hand anything on', () => {
      const root = makePackage();
      const launched = launch(path, root);
      const isTheProgram = told(launched).pid === launched.pid;
      assert.equal(isTheProgram, 'execve' in process && path === process.execPath);
    });

    it('takes the Node of the host where the packaged one does not run', () => {
      for (const packaged of [undefined, 'exit 127']) {
        const root = makePackage({ packaged, needed: '18.0.0' });
        assert.equal(told(launch(path, root)).env.STARTED_BY, undefined);
      }
    });

    it('says in one sentence that there is no Node for it', () => {
      const none = launch(path, makePackage({ packaged: undefined, needed: '99.1.0' }));
      assert.deepEqual([none.status, none.stdout], [1, '']);
      const { platform, arch } = process;
      const start = `Atrium needs Node 99 or newer, and this is v${version}: `;
      assert.equal(none.stderr, `${start}none for ${platform} ${arch} came with Atrium.\n`);
      const broken = 'echo "libatomic.so.1: cannot open" >&2; exit 127';
      const { status, stderr } = launch(path, makePackage({ packaged: broken, needed: '99.1.0' }));
      assert.equal(status, 1);
      assert.equal(
        stderr,
        `${start}the one that came with Atrium does not run (libatomic.so.1: cannot open).\n`,
      );
    });
  });
}

describe('package.json', () => {
  it('names nothing as optional but a Node for each platform, all of one version', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of Object.keys(optionalDependencies))
      assert.match(name, /^node-(bin-)?(linux|darwin)-(x64|arm64)$/);
    assert.equal(new Set(Object.values(optionalDependencies)).size, 1);
  });
});

interface Made {
  /** What the packaged Node does, in shell; nothing is packaged when undefined. */
  packaged?: string | undefined;
  /** The version of Node that the package is for. */
  needed?: string;
}

/** The files of a package that the launcher looks at. */
function makePackage(made: Made = {}): string {
  const { packaged, needed } = {
    packaged: `STARTED_BY='the packaged Node' exec "${process.execPath}" "$@"`,
    needed: '26.0.0',
    ...made,
  };
  const root = mkdtempSync(join(tmpdir(), 'atrium-launcher-'));
  packages.push(root);
  for (const folder of ['bin', 'dist', 'node_modules/node-for-here/bin'])
    mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(join(ROOT, 'bin/atrium.mjs'), join(root, 'bin/atrium.mjs'));
  writeFileSync(join(root, 'dist/main.js'), PROGRAM);
  const optionalDependencies = { 'node-for-elsewhere': needed, 'node-for-here': needed };
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', scripts, optionalDependencies }),
  );
  if (packaged !== undefined)
    writeFileSync(join(root, 'node_modules/node-for-here/bin/node'), `#!/bin/sh\n${packaged}\n`, {
      mode: 0o755,
    });
  return root;
}

function launch(node: string, root: string, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(node, [join(root, 'bin/atrium.mjs'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
}

interface Told {
  file: string;
  args: string[];
  execArgv: string[];
  env: NodeJS.ProcessEnv;
  pid: number;
}

function told({ stdout, stderr }: SpawnSyncReturns<string>): Told {
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}
