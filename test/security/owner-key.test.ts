/** Commands send the key of the owner to the server whose data directory holds it, and to nobody who listens in its place. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { newNonce } from '../../src/start/owner-proof.ts';
import { type Outcome, runAtrium } from '../command-line.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

const TLS = join(import.meta.dirname, '../api/tls');
const SECURED = { ATRIUM_TLS_CERT: join(TLS, 'cert.pem'), ATRIUM_TLS_KEY: join(TLS, 'key.pem') };

/** The key of the owner is generated, so that it is in the data directory. */
const GENERATED = { ATRIUM_OWNER_KEY: '', ATRIUM_WELCOME: 'off' };

/** Asks for a file that there is not: the refusal of the server shows that it has taken the key. */
function ask(app: Pick<TestApp, 'config'>, settings: NodeJS.ProcessEnv): Promise<Outcome> {
  return runAtrium(app, ['download', 'file_none'], settings);
}

const TAKEN = /^error: There is no file with this id\.\n$/;

/** Something else that listens where a server is looked for. Answers where, and the heads of the requests that came. */
async function impostor(
  t: TestContext,
  answer: RequestListener,
): Promise<{ port: string; heads: IncomingMessage['rawHeaders'][] }> {
  const heads: IncomingMessage['rawHeaders'][] = [];
  const server = createServer((request, response) => {
    heads.push([request.url ?? '', ...request.rawHeaders]);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: String((server.address() as AddressInfo).port), heads };
}

async function proofOfServer(address: string, nonce: string): Promise<string> {
  const answer = await fetch(`${address}/owner-proof?nonce=${nonce}`);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { data: { proof: string } }).data.proof;
}

forEachEngine((engine) => {
  describe('the key of the owner', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine, GENERATED);
    });
    after(() => app.stop());

    it('the key of the owner goes to the server of its data directory, which the settings of both name (OPS-57, OPS-58, OPS-59)', async () => {
      const { port, hostname } = new URL(app.address);
      const found = await ask(app, { ATRIUM_HOST: hostname, ATRIUM_PORT: port });
      assert.match(found.stderr, TAKEN);
      assert.match((await ask(app, { ATRIUM_URL: app.address })).stderr, TAKEN);
    });

    it('goes to nobody else who listens there', async (t) => {
      const { port, heads } = await impostor(t, (_request, response) => {
        response.end(JSON.stringify({ data: { proof: newNonce() } }));
      });
      const refused = await ask(app, { ATRIUM_PORT: port });
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /^error: ATRIUM_KEY must be set, .* at http:\S+ does not show that it is the server of \S+, whose key was not sent\. .*\n$/,
      );
      assert.equal(heads.length, 1);
      assert.doesNotMatch(String(heads), /authorization|atr_/i);
    });

    it('goes to nobody who passes the question on to the server', async (t) => {
      const { port, heads } = await impostor(t, (request, response) => {
        get(`${app.address}${request.url}`, { headers: request.headers }, (answer) => answer.pipe(response));
      });
      const refused = await ask(app, { ATRIUM_PORT: port });
      assert.match(refused.stderr, /does not show that it is the server/);
      assert.doesNotMatch(String(heads), /authorization|atr_/i);
    });

    it('the key of the owner goes to no server of another data directory (OPS-58)', async (t) => {
      const other = await startApp('sqlite', GENERATED);
      t.after(() => other.stop());
      assert.match((await ask(app, { ATRIUM_URL: other.address })).stderr, /does not show/);
    });

    it('goes to no other machine, and none is asked', async () => {
      const elsewhere = await ask(app, { ATRIUM_URL: 'http://elsewhere.invalid' });
      assert.match(elsewhere.stderr, /^error: ATRIUM_KEY must be set, .* on this machine/);
    });

    it('is named in no answer, and no proof is good for another nonce or connection', async () => {
      const nonce = newNonce();
      const proofs = [await proofOfServer(app.address, nonce), await proofOfServer(app.address, newNonce())];
      const again = await new Promise<IncomingMessage>((resolve) => {
        get(`${app.address}/owner-proof?nonce=${nonce}`, { agent: false }, resolve);
      });
      proofs.push(JSON.parse(await text(again)).data.proof);
      assert.equal(new Set(proofs).size, proofs.length);
      for (const proof of proofs) assert.match(proof, /^[\w-]{43}$/);
    });

    it('is proven for no nonce that a client could have from elsewhere', async () => {
      for (const query of [
        '',
        '?nonce=',
        '?nonce=a',
        `?nonce=${'a'.repeat(44)}`,
        `?nonce=${newNonce()}&nonce=x`,
      ]) {
        const answer = await fetch(`${app.address}/owner-proof${query}`);
        const { error } = (await answer.json()) as { error: { code: string; message: string } };
        assert.deepEqual([answer.status, error.code], [400, 'validation_failed'], query);
        assert.match(error.message, /^nonce: Give 32 random bytes in base64url, such as "[\w-]{43}"\.$/);
      }
    });

    it('is not needed by who has given another', async (t) => {
      const { port, heads } = await impostor(t, (_request, response) => {
        response.writeHead(404).end('{"error":{"code":"not_found","message":"Nothing."}}');
      });
      const answered = await ask(app, { ATRIUM_PORT: port, ATRIUM_KEY: 'a-key-that-was-given' });
      assert.equal(answered.stderr, 'error: Nothing.\n');
      assert.match(String(heads), /Bearer a-key-that-was-given/i);
    });

    it('is told where to set the address when nobody answers there', async () => {
      const away = await ask(app, { ATRIUM_PORT: '1' });
      assert.match(
        away.stderr,
        /^error: http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\. ATRIUM_URL, or --url, says where the server is\.\n$/,
      );
      assert.match((await ask(app, { ATRIUM_PORT: '0' })).stderr, /^error: ATRIUM_URL must say where/);
    });
  });
});

describe('a key of the owner', () => {
  it('that somebody chose is not proven: it might be guessed from a proof', async (t) => {
    const app = await startApp('sqlite', GENERATED);
    t.after(() => app.stop());
    await writeFile(join(app.config.dataDir, 'owner-key'), 'correct horse battery staple\n');
    assert.equal((await fetch(`${app.address}/owner-proof?nonce=${newNonce()}`)).status, 404);
    assert.match((await ask(app, { ATRIUM_URL: app.address })).stderr, /does not show/);
  });

  it('is missed by name where the data directory has none', async (t) => {
    const app = await startApp('sqlite');
    const empty = await mkdtemp(join(tmpdir(), 'atrium-no-key-'));
    t.after(() => app.stop().then(() => rm(empty, { recursive: true })));
    assert.equal((await fetch(`${app.address}/owner-proof?nonce=${newNonce()}`)).status, 404);
    const outcome = await ask(app, { ATRIUM_URL: app.address, ATRIUM_DATA_DIR: empty });
    assert.equal(outcome.stderr, 'error: ATRIUM_KEY must be set, or an API key be given with --key.\n');
  });

  it('goes by TLS to the server of the settings, whose certificate they name', async (t) => {
    const app = await startApp('sqlite', { ...GENERATED, ...SECURED });
    t.after(() => app.stop());
    const { port } = new URL(app.address);
    assert.match((await ask(app, { ...SECURED, ATRIUM_PORT: port })).stderr, TAKEN);
    const named = await ask(app, { ATRIUM_URL: `https://127.0.0.1:${port}` });
    assert.match(named.stderr, /cannot be reached: .*self-signed certificate/);
  });
});
