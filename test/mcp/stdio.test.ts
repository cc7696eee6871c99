/** `atrium mcp`, and the command line of the inspector, as people use them on their machine. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startNode } from '../api/nodes.ts';
import { data, makeKey } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { PROGRAM, programEnvironment } from '../program.ts';
import { agentOf, REVISIONS } from './agents.ts';

const INSPECTOR = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js',
);

describe('atrium mcp', () => {
  let app: TestApp;
  let home: string;
  before(async () => {
    app = await startApp(ANY_ENGINE);
    home = await mkdtemp(join(tmpdir(), 'atrium-stdio-'));
  });
  after(async () => {
    await app.stop();
    await rm(home, { recursive: true });
  });

  const environment = (settings: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries({
        ...programEnvironment(),
        HOME: home,
        ATRIUM_DATA_DIR: home,
        ATRIUM_URL: app.address,
        ATRIUM_KEY: OWNER_KEY,
        ...settings,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  const transport = (args: string[] = [], settings?: Record<string, string>) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', ...args],
      env: environment(settings),
      stderr: 'ignore',
    });
  const connect = async (mode: 'auto' | 'legacy', args: string[] = [], settings?: Record<string, string>) => {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode },
      },
    );
    await client.connect(transport(args, settings));
    return client;
  };

  for (const revision of REVISIONS)
    it(`speaks ${revision} on standard input and output (MCP-5)`, async () => {
      const client = await connect(revision === '2025-11-25' ? 'legacy' : 'auto');
      const agent = agentOf(client);
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      assert.equal((await agent.use('whoami')).user.email, 'owner@localhost');
      const file = await agent.use('write_file', { filename: `${revision}.txt`, content: 'Grüße 😀' });
      assert.equal((await agent.use('read_file', { id: file.id })).text, 'Grüße 😀');
      assert.equal(await agent.refused('get_message', { id: 'msg_x' }), 'not_found');
      await client.close();
    });

  it('has the tools of --areas, and all operations with --all (MCP-5)', async () => {
    const client = await connect('auto', ['--areas', 'calendar', '--all']);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(
      names.includes('find_time') && names.includes('call_operation') && !names.includes('get_message'),
    );
    await client.close();
  });

  it('asks a person through the client (MCP-13)', async () => {
    const client = await connect('auto');
    const questions: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: 'decline' };
    });
    const { structured } = await agentOf(client).call('share_item', {
      id: 'file_x',
      email: 'a@b.example',
      role: 'viewer',
    });
    assert.deepEqual(structured, { declined: true });
    assert.equal(questions.length, 1);
    await client.close();
  });

  /** The program with its lines. */
  const program = (settings?: Record<string, string>) => {
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env: environment(settings), stdio: 'pipe' });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const ask = async (message: unknown) => {
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
      return JSON.parse(String((await lines.next()).value));
    };
    return { child, ask };
  };
  const ended = async (child: ChildProcess) => {
    child.stdin?.end();
    const [code] = await once(child, 'exit');
    return code;
  };

  it('answers what is no JSON, and ends with its input (MCP-5)', async () => {
    const { child, ask } = program();
    assert.deepEqual(await ask('{"jsonrpc"'), {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_700, message: 'The line is not JSON.' },
    });
    child.stdin.write('\n');
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    assert.deepEqual((await ask({ jsonrpc: '2.0', id: 7, method: 'ping' })).id, 7);
    assert.equal(await ended(child), 0);
  });

  it('passes on why a key is refused (MCP-5)', async () => {
    const { child, ask } = program({ ATRIUM_KEY: 'wrong' });
    const { id, error } = await ask({ jsonrpc: '2.0', id: 'a', method: 'tools/list' });
    assert.equal(id, 'a');
    assert.match(error.message, /\(invalid_api_key\)$/);
    assert.equal(await ended(child), 0);
  });

  it('sends again what a lost connection has cost (MCP-5, MCP-14)', async () => {
    const node = await startNode(app.config, { port: 0 });
    const { port } = new URL(node.address);
    const { child, ask } = program({ ATRIUM_URL: node.address });
    assert.equal((await ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).id, 1);
    await node.stop();
    const given = { name: 'write_file', arguments: { filename: 'again.txt', content: 'x' } };
    const answered = ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: given });
    const restarted = await startNode(app.config, { port: Number(port) });
    assert.equal((await answered).result.isError, undefined);
    assert.equal(data(await app.get('/v1/files?q=again')).length, 1);
    assert.equal(await ended(child), 0);
    await restarted.stop();
  });

  it('goes on when a call is cancelled (MCP-5)', async () => {
    const { child, ask } = program();
    const cursor = data(await app.get('/v1/changes')).cursor;
    const params = { name: 'list_changes', arguments: { cursor, wait: 30 } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params })}\n`);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } };
    child.stdin.write(`${JSON.stringify(cancelled)}\n`);
    assert.equal((await ask({ jsonrpc: '2.0', id: 3, method: 'ping' })).id, 3);
    assert.equal(await ended(child), 0);
  });

  it('stands before the command line of the inspector (MCP-1, MCP-5)', async () => {
    const { key } = await makeKey(app, ['mail.messages.read', 'directory.read']);
    const inspect = async (...args: string[]) => {
      const child = spawn(process.execPath, [INSPECTOR, ...args], {
        env: environment({ ATRIUM_KEY: key }),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      assert.equal(code, 0, `${out}${err}`);
      return JSON.parse(out);
    };
    const url = [`${app.address}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
    const { tools } = await inspect(...url, '--method', 'tools/list');
    assert.ok(tools.some(({ name }: { name: string }) => name === 'find_people'));
    const called = await inspect(
      ...url,
      '--method',
      'tools/call',
      '--tool-name',
      'find_people',
      '--tool-arg',
      'q=owner',
    );
    assert.equal(called.structuredContent.data[0].email, 'owner@localhost');
    const settings = ['-e', `ATRIUM_URL=${app.address}`, '-e', `ATRIUM_KEY=${key}`];
    const templates = await inspect(
      ...settings,
      process.execPath,
      PROGRAM,
      'mcp',
      '--method',
      'resources/templates/list',
    );
    assert.ok(templates.resourceTemplates.length > 0);
  });
});
