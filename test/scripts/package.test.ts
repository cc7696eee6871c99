/** The package of the program as strangers get it: packed, installed into an empty folder, and run from the Node of the host. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Atrium } from '../../client/src/index.ts';
import { eventually } from '../eventually.ts';
import { oldestNodeFor, pathWith } from '../host-nodes.ts';
import { killGroup } from '../program.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const READY = /^Atrium is ready on (http\S+)$/;
/** What npm says where there is no network. */
const UNREACHABLE = /^npm error code (ENOTFOUND|EAI_AGAIN|ECONN\w+|E\w*UNREACH|ETIMEDOUT|\w+_TIMEOUT)$/m;
const run = promisify(execFile);

const host = oldestNodeFor('.');

const directory = mkdtempSync(join(tmpdir(), 'atrium-package-'));
after(() => rmSync(directory, { recursive: true }));
const home = join(directory, 'home');
const installed = join(home, 'node_modules/atrium');
const env = { ...process.env, PATH: pathWith(host), NODE_OPTIONS: '', NODE_COMPILE_CACHE: undefined };
const serverEnvironment = { ...env, ATRIUM_PORT: '0', ATRIUM_SMTP_PORT: '0' };
const skip = await install();
const title = `the package of the program, from Node ${host.version} of the host`;

describe(title, { skip, timeout: 300_000 }, () => {
  it('holds the compiled program, the console, what tells of them, and nothing else', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(installed, join(parentPath, name)));
    const compiled = files.filter((file) => /^dist\/[\w-]+\.js$/.test(file));
    const workers = globSync('src/**/*-{worker,entry}.ts', { cwd: ROOT });
    assert.ok(workers.length > 1);
    for (const worker of workers)
      assert.ok(compiled.includes(worker.replace(/^.*\/(.*)\.ts$/, 'dist/$1.js')), worker);
    assert.ok(compiled.includes('dist/main.js'));
    const console_ = files.filter((file) =>
      /^console\/dist\/(?:manifest\.json|[\w-]+\.(?:js|css)(?:\.gz|\.br)?)$/.test(file),
    );
    assert.ok(console_.includes('console/dist/manifest.json'));
    const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES', 'bin/atrium.mjs'];
    assert.deepEqual(
      files.filter((file) => !compiled.includes(file) && !console_.includes(file)).sort(),
      [...others, 'package.json'].sort(),
    );
  });

  it('runs nothing when it is installed', () => {
    const { packages } = JSON.parse(readFileSync(join(home, 'node_modules/.package-lock.json'), 'utf8'));
    assert.ok('node_modules/atrium' in packages);
    assert.deepEqual(
      Object.keys(packages).filter((path) => packages[path].hasInstallScript),
      [],
    );
  });

  it('names each package that is compiled into it, with the text of its licence', () => {
    const sources = globSync(join(installed, 'dist/*.js')).map((file) => readFileSync(file, 'utf8'));
    // What comes from a file has the name of the file above it.
    const names = sources.flatMap((source) =>
      [...source.matchAll(/^\/\/ \S*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name = '']) => name),
    );
    const included = new Set(names);
    assert.ok(included.has('kysely') && included.has('typebox'));
    const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES'), 'utf8').split(/^-{78}$/m);
    for (const name of included) {
      const folder = join(ROOT, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const [file = ''] = globSync(join(folder, '{LICENSE,license,LICENCE}*'));
      const notice = [`${name} ${version} (${license})`, readFileSync(file, 'utf8').trim()].join('\n\n');
      assert.ok(
        notices.some((text) => text.trim() === notice),
        name,
      );
    }
    assert.ok(notices.some((text) => /^\s*Unicode CLDR: .*UNICODE LICENSE V3/s.test(text)));
  });

  it('serves, is found well by npx, and ends in order at SIGTERM', async (t) => {
    t.diagnostic(`started by Node ${host.version}, ${host.path}`);
    // As in a shell in the folder, where `node` is that of the host.
    const launcher = join(home, 'node_modules/.bin/atrium');
    const server = spawn(launcher, ['serve'], { cwd: home, env: serverEnvironment });
    t.after(() => server.kill('SIGKILL'));
    const exit = once(server, 'close');
    const address = await addressOf(server);
    const key = readFileSync(join(home, 'data/owner-key'), 'utf8').trim();
    const atrium = new Atrium({ address, key });
    const [file] = await atrium.files.listFiles().all();
    assert.ok(file);
    const welcome = await (await atrium.files.download(file.id)).text();
    assert.match(welcome, /^ {2}npx atrium upload film\.mp4$/m, 'it says what works here');
    const page = await (await fetch(address, { headers: { accept: 'text/html' } })).text();
    const [, script = ''] = /src="(\/console\/assets\/main-[^"]+)"/.exec(page) ?? assert.fail(page);
    assert.equal((await fetch(new URL(script, address))).status, 200, 'the console is there');
    const metrics = await (await fetch(new URL('/metrics', address))).text();
    assert.ok(metrics.includes(`nodejs_version_info{version="v${packagedVersion()}"`));
    const { stdout } = await run('npx', ['--no', '--', 'atrium', 'doctor'], {
      cwd: home,
      env: { ...serverEnvironment, ATRIUM_PORT: new URL(address).port },
    });
    assert.match(stdout, /^ok {4}HTTP port: .* held by Atrium itself/m);
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    assert.equal(await answers(address), false, 'nothing is left behind');
  });

  it('leaves no server behind where npx is stopped', async (t) => {
    const args = ['--no', '--', 'atrium', 'serve'];
    const npx = spawn('npx', args, { cwd: home, env: serverEnvironment, detached: true });
    t.after(() => killGroup(npx.pid ?? assert.fail('npx did not start')));
    const address = await addressOf(npx);
    assert.equal(await answers(address), true);
    npx.kill('SIGTERM');
    await eventually(async () => !(await answers(address)), 'the server has ended');
  });

  it('tells its version by npx', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { stdout } = await run('npx', ['--no', '--', 'atrium', '--version'], { cwd: home, env });
    assert.equal(stdout, `${version}\n`);
  });
});

/** Answers why it cannot be done here, where neither the cache of npm nor a registry has what the program needs. */
async function install(): Promise<string | undefined> {
  const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, env });
  const { stdout } = await npm(copyOfClone(), 'pack', '--silent', '--pack-destination', directory);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{}');
  writeFileSync(join(home, 'package-lock.json'), JSON.stringify(productionLock()));
  const options = ['--prefer-offline', '--fetch-retries=1', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    await npm(home, 'install', ...options, join(directory, stdout.trim()));
    return undefined;
  } catch (error) {
    const { stderr } = error as { stderr: string };
    if (!UNREACHABLE.test(stderr)) throw error;
    return `npm reaches no registry, and its cache lacks a package:\n${stderr}`;
  }
}

/**
 * What the image of contrib/Containerfile is made of, which has to be there and to be enough, and more that must not go in; with the
 * packages of this clone. Other tests start what is compiled here meanwhile.
 */
function copyOfClone(): string {
  const clone = join(directory, 'clone');
  const containerfile = readFileSync(join(ROOT, 'contrib/Containerfile'), 'utf8');
  const lines = containerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm);
  const copied = [...lines].flatMap(([, paths = '']) => paths.split(' '));
  const filter = (path: string) => basename(path) !== 'dist';
  for (const path of [...copied, '.gitignore', 'docs', 'test'])
    cpSync(join(ROOT, path), join(clone, path), { recursive: true, filter });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  return clone;
}

/** The versions that package-lock.json names, which the cache of npm has since the setup; so no newer ones are looked for. */
function productionLock(): object {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const entries = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  return { lockfileVersion: 3, requires: true, packages: { '': {}, ...Object.fromEntries(entries) } };
}

function packagedVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return String(Object.values(optionalDependencies)[0]);
}

async function answers(address: string): Promise<boolean> {
  try {
    return (await fetch(new URL('/healthz', address))).ok;
  } catch {
    return false;
  }
}

async function addressOf(server: ChildProcessWithoutNullStreams): Promise<string> {
  let errors = '';
  server.stderr.on('data', (chunk) => (errors += chunk));
  for await (const line of createInterface(server.stdout)) {
    const [, address] = READY.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  assert.fail(`never ready:\n${errors}`);
}
