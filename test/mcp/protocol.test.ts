/** The door itself: keys, revisions, bodies, pages of others, and the judge of the protocol. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { data, makeKey } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { connectAgent, REVISIONS } from './agents.ts';

const JUDGE = join(import.meta.dirname, '../../node_modules/.bin/conformance');

/** Scenarios that only a server for the judge can pass: they call its tools and prompts, or what this server does not offer. */
const OF_OTHER_SERVERS =
  /^(?:tools-call-.*|prompts-.*|resources-(?:read|templates|subscribe|unsubscribe).*|elicitation-.*|input-required-result-(?!unsupported).*|tasks-.*|sep-2640-.*|http-custom-header-.*|completion-complete|logging-set-level|json-schema-2020-12)$/;

/** What a check says that needs a tool of the judge, or prompts. */
const OF_OTHER_TOOLS = /^Not testable|^prompts\/list returned/;

describe('the door for agents', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE);
  });
  after(() => app.stop());

  const post = (body: unknown, headers: Record<string, string> = {}, key: string | null = OWNER_KEY) =>
    app.request('POST', '/mcp', {
      body,
      key,
      idempotencyKey: null,
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
    });
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  for (const revision of REVISIONS)
    it(`speaks ${revision} with the kit's own client (MCP-1)`, async () => {
      const agent = await connectAgent(app.address, { revision });
      assert.equal(agent.client.getNegotiatedProtocolVersion(), revision);
      assert.equal((await agent.use('whoami')).user.email, 'owner@localhost');
      await agent.close();
    });

  it('answers other methods 405 (MCP-1)', async () => {
    assert.equal((await app.get('/mcp')).status, 405);
    assert.equal((await app.delete('/mcp')).status, 405);
  });

  it('takes keys as every route does (MCP-2)', async () => {
    for (const [key, code] of [
      [null, 'unauthenticated'],
      ['wrong', 'invalid_api_key'],
    ] as const) {
      const { status, json, headers } = await post(LIST, {}, key);
      assert.deepEqual([status, json.error.code], [401, code]);
      assert.equal(headers.get('www-authenticate'), 'Bearer');
    }
  });

  it('counts a request for the rate limit (MCP-2)', async () => {
    const limited = await startApp(ANY_ENGINE, { ATRIUM_RATE_LIMIT: '2' });
    const body = { ...LIST };
    const send = () =>
      limited.request('POST', '/mcp', {
        body,
        idempotencyKey: null,
        headers: { accept: 'application/json, text/event-stream' },
      });
    const statuses = [(await send()).status, (await send()).status, (await send()).status];
    assert.deepEqual(statuses, [200, 200, 429]);
    await limited.stop();
  });

  it('refuses what is no JSON, too much, or of another type (MCP-3)', async () => {
    const wrong = await post('{"jsonrpc":', {});
    assert.deepEqual([wrong.status, wrong.json.error.code], [400, -32_700]);
    const twice = await post('{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}', {});
    assert.deepEqual([twice.status, twice.json.error.code], [400, -32_700]);
    assert.equal((await post(' '.repeat(10_000_001), {})).status, 413);
    assert.equal((await post(LIST, { 'content-type': 'text/plain' })).status, 415);
    const one = JSON.stringify(LIST);
    for (const body of ['[]', `[${one},${one}]`, '{}', '1', 'null', '{"jsonrpc":"2.0","id":1,"method":1}'])
      assert.equal((await post(body, {})).status, 400, body);
  });

  it('refuses pages of other servers, also by a name that leads here (MCP-4)', async () => {
    for (const headers of [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.example', host: 'evil.example' },
      { origin: 'http://evil.example', host: 'evil.example', 'sec-fetch-site': 'same-origin' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ]) {
      const { status, json } = await post(LIST, headers as Record<string, string>);
      assert.deepEqual([status, json.error.code], [403, 'foreign_site'], JSON.stringify(headers));
    }
    const { host } = new URL(app.address);
    assert.equal((await post(LIST, { origin: `http://${host}` })).status, 200);
  });

  it('takes no large message that would wait (MCP-3)', async () => {
    const wait = { name: 'list_changes', arguments: { wait: 30 } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: wait };
    const { status, json } = await post(JSON.stringify(message) + ' '.repeat(200_000));
    assert.deepEqual([status, json.error.code], [413, 'payload_too_large']);
    const params = { name: 'write_file', arguments: { filename: 'a', content: 'x'.repeat(200_000) } };
    assert.equal((await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).status, 200);
  });

  it('lists nothing for a key without permissions but whoami and list_changes (MCP-7)', async () => {
    const { key } = await makeKey(app, ['keys.read']);
    const agent = await connectAgent(app.address, { key });
    const { tools } = await agent.client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['list_changes', 'search', 'whoami']);
    assert.equal(await agent.refused('list_messages', { folder_id: 'inbox' }), 'insufficient_scope');
    await agent.close();
  });

  it('tells a key that may not read the directory which user it acts as, and what it may do (MCP-49)', async () => {
    const { id, key } = await makeKey(app, ['mail.messages.read']);
    const { id: owner } = data(await app.get('/v1/users/me'));
    const agent = await connectAgent(app.address, { key });
    const who = await agent.use('whoami');
    assert.deepEqual(who.user, { id: owner, missing_permission: 'directory.read' });
    assert.deepEqual([who.key.id, who.key.permissions], [id, ['mail.messages.read']]);
    assert.deepEqual([who.calendars, who.address_books], [undefined, undefined]);
    await agent.close();
  });

  for (const revision of REVISIONS)
    it(`stands before the judge of ${revision} (MCP-1)`, { timeout: 120_000 }, async () => {
      const { problems, passed } = await judged(app.address, revision);
      assert.deepEqual(problems, []);
      for (const name of ['tools-list', 'resources-list', 'dns-rebinding-protection'])
        assert.ok(passed.includes(name), `${name} is judged`);
    });
});

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

/** What the judge of the protocol says of a server: the problems that concern it, and the scenarios that it has passed. */
async function judged(address: string, revision: string): Promise<{ problems: string[]; passed: string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-judge-'));
  const door = await keyedDoor(address);
  try {
    const given = ['--url', door.url, '--spec-version', revision, '-o', directory, '--suite', 'all'];
    const judge = spawn(process.execPath, [JUDGE, 'server', ...given], { stdio: 'ignore' });
    await once(judge, 'exit');
    const problems: string[] = [];
    const passed: string[] = [];
    for (const folder of await readdir(directory)) {
      const [, scenario = ''] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(folder) ?? [];
      const checks = JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8')) as Check[];
      const failed = checks.filter(({ status }) => status === 'FAILURE');
      const ours = failed.filter(({ errorMessage }) => !OF_OTHER_TOOLS.test(errorMessage ?? ''));
      if (failed.length === 0) passed.push(scenario);
      if (OF_OTHER_SERVERS.test(scenario)) continue;
      problems.push(...ours.map(({ id, errorMessage }) => `${scenario}: ${id}: ${errorMessage}`));
    }
    return { problems, passed };
  } finally {
    door.close();
    await rm(directory, { recursive: true });
  }
}

/** A door beside the server that adds the key: the judge has none. */
async function keyedDoor(address: string): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(address);
  const door = createServer((asked, answer) => {
    const { url: path, method, headers } = asked;
    const sent = request(
      { hostname, port, path, method, headers: { ...headers, authorization: `Bearer ${OWNER_KEY}` } },
      (got) => got.pipe(answer.writeHead(got.statusCode ?? 500, got.headers)),
    );
    sent.once('error', () => answer.destroy());
    asked.pipe(sent);
  });
  await once(door.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = door.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    close: () => {
      door.close();
      door.closeAllConnections();
    },
  };
}
