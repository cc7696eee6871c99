/** The package as strangers get it: packed, installed, and used by JavaScript on the oldest Node of the host that it is for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { oldestNodeFor, pathWith } from '../host-nodes.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = join(ROOT, 'client');
const run = promisify(execFile);

const host = oldestNodeFor('client');

const SCRIPT = `
import { Atrium, AtriumError } from '@atrium/client';

const [address, key] = process.argv.slice(2);
const atrium = new Atrium({ address, key });
const { name } = await atrium.calendar.createCalendar({ name: 'Work' });
const contact = await atrium.contacts
  .listAddressBooks()
  .then(([book]) => atrium.contacts.createContact({ address_book_id: book.id, name: 'Ada' }));
const names = [];
for await (const { name } of atrium.contacts.listContacts()) names.push(name);
const file = await atrium.files.upload(new Blob(['Hello']), { filename: 'hello.txt' });
const text = await (await atrium.files.download(file.id)).text();
const code = await atrium.mail.listMessages().all().catch((error) => error instanceof AtriumError && error.code);
console.log(JSON.stringify({ name, names, text, code, found: contact.name }));
`;

describe(`the package of the client, on Node ${host.version} of the host`, () => {
  let app: TestApp;
  let directory: string;
  before(async () => {
    app = await startApp(ANY_ENGINE);
    directory = await mkdtemp(join(tmpdir(), 'atrium-package-'));
  });
  after(async () => {
    await app.stop();
    await rm(directory, { recursive: true });
  });

  const runScript = (name: string, ...args: string[]) =>
    run(host.path, [name, ...args], {
      cwd: directory,
      env: { ...process.env, ATRIUM_KEY: OWNER_KEY },
    });

  before(async () => {
    const env = {
      ...process.env,
      PATH: pathWith(host),
      npm_config_cache: join(directory, 'cache'),
    };
    const pack = ['pack', '--silent', '--pack-destination', directory];
    const { stdout } = await run('npm', pack, { cwd: CLIENT, env });
    await writeFile(join(directory, 'package.json'), '{}');
    const install = ['install', '--offline', '--no-audit', '--no-fund', join(directory, stdout.trim())];
    await run('npm', install, { cwd: directory, env });
  });

  it('is used by plain JavaScript', async (t) => {
    t.diagnostic(`run by Node ${host.version}, ${host.path}`);
    await writeFile(join(directory, 'script.mjs'), SCRIPT);
    const { stdout } = await runScript('script.mjs', app.address, OWNER_KEY);
    assert.deepEqual(JSON.parse(stdout), {
      name: 'Work',
      names: ['Ada'],
      text: 'Hello',
      code: 'filter_required',
      found: 'Ada',
    });
  });

  it('holds the compiled client with its types, what tells of it, and nothing else', async () => {
    const installed = join(directory, 'node_modules/@atrium/client');
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(installed, join(parentPath, name)));
    const sources = await readdir(join(CLIENT, 'src'), { recursive: true });
    const modules = sources
      .filter((file) => file.endsWith('.ts'))
      .map((file) => file.slice(0, -'.ts'.length));
    assert.ok(modules.includes('index'));
    const compiled = modules.flatMap((module) => [`dist/${module}.d.ts`, `dist/${module}.js`]);
    assert.deepEqual(files.sort(), [...compiled, 'LICENSE', 'README.md', 'package.json'].sort());
  });

  it('does what its README says', async () => {
    const readme = await readFile(join(CLIENT, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
    assert.equal(blocks.length, 4);
    const script = blocks.join('\n').replace('http://127.0.0.1:8080', app.address);
    await writeFile(join(directory, 'readme.mjs'), script);
    await writeFile(join(directory, 'film.mp4'), 'A film');
    const { stdout } = await runScript('readme.mjs');
    assert.match(stdout, /^6 of 6 bytes$/m);
    assert.match(stdout, /^There is no message with this id\. req_/m);
    assert.equal(await readFile(join(directory, 'copy.mp4'), 'utf8'), 'A film');
  });

  it('has the version of the server, and needs nothing', async () => {
    const [client, server] = await Promise.all(
      [CLIENT, ROOT].map(async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))),
    );
    assert.equal(client.version, server.version);
    assert.equal(client.dependencies, undefined);
  });
});
