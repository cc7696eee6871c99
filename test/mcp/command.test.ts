/** The command that speaks on standard input and output for a server elsewhere. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp } from '../harness.ts';
import { PROGRAM } from '../program.ts';

/** What the command writes for these lines. */
async function said(url: string, lines: readonly string[]) {
  const command = spawn(process.execPath, [PROGRAM, 'mcp', '--url', url, '--key', OWNER_KEY], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  command.stdin.end(lines.join('\n'));
  const [written, [code]] = await Promise.all([text(command.stdout), once(command, 'exit')]);
  assert.equal(code, 0);
  return written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const call = (id: number, name: string, given: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } });

describe('atrium mcp', () => {
  it('takes a message a line, whatever is within its texts, and answers what is none (MCP-5)', async () => {
    const app = await startApp(ANY_ENGINE);
    const content = 'one\u2028two\u2029three\u0085four';
    const answers = await said(app.address, [
      'null',
      '[]',
      '1',
      '{',
      '',
      call(7, 'write_file', { filename: 'a.txt', content }),
    ]);
    const codes = answers.filter(({ id }) => id === null).map(({ error }) => error.code);
    assert.deepEqual(codes.sort(), [-32_700, -32_600, -32_600, -32_600].sort());
    const { result } = answers.find(({ id }) => id === 7);
    const { id } = result.structuredContent.data;
    const stored = await app.get(`/v1/files/${id}/content`);
    assert.equal(stored.text, content);
    await app.stop();
  });

  it('sends a request again whose connection was lost within the answer (MCP-5)', async () => {
    const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ok: true } });
    const losses: ((answer: ServerResponse) => void)[] = [
      (answer) => answer.destroy(),
      (answer) => answer.writeHead(503).end(),
      (answer) => {
        answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' }).write('{');
        setTimeout(() => answer.destroy(), 50);
      },
      (answer) => answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
    ];
    for (const lose of losses) {
      let requests = 0;
      const server = createServer((request, answer) => {
        request.resume().once('end', () => {
          if (++requests === 1) return lose(answer);
          answer.writeHead(200, { 'content-type': 'application/json' }).end(whole);
        });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const answers = await said(`http://127.0.0.1:${port}`, [call(1, 'whoami', {})]);
      assert.deepEqual([answers, requests], [[JSON.parse(whole)], 2], String(lose));
      server.close();
      server.closeAllConnections();
    }
  });
});
