import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ANY_ENGINE } from './engines.ts';
import { eventually } from './eventually.ts';
import { startApp, type TestApp } from './harness.ts';
import { NODES } from './nodes/count.ts';

const ROOT = join(import.meta.dirname, '..');
const HEALTH_CHECK = join(ROOT, 'contrib', 'health-check.mjs');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('what is contributed', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE);
  });
  after(() => app.stop());

  it('shows metrics that there are, by labels that they have', async () => {
    // Each node tells its own.
    for (let node = 0; node < NODES; node++) await app.get('/v1/folders');
    const { text } = await app.get('/metrics', { key: null });
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
    const shown = [
      ...read('contrib/grafana-dashboard.json').matchAll(/\b(?:atrium|process|nodejs)_[a-z0-9_]+/g),
    ];
    assert.ok(shown.length > 10);
    for (const [name] of shown) {
      const histogram = name.replace(/_(?:bucket|count|sum)$/, '');
      const isThere = types.has(name) || types.get(histogram) === 'histogram';
      assert.ok(isThere, `${name} is not among the metrics`);
    }
    assert.match(text, /^atrium_http_request_duration_seconds_count\{operation="\w+",status="200"\}/m);
  });

  it('starts the server as npm does', () => {
    const { start } = JSON.parse(read('package.json')).scripts;
    const [, settings = '', options] = /^exec env ((?:\S+=\S+ )+)node (.*)$/.exec(start) ?? [];
    const command = `node_modules/.bin/node ${options}`;
    const [service, containerfile] = [read('contrib/atrium.service'), read('contrib/Containerfile')];
    assert.equal(/^ExecStart=\/opt\/atrium\/(.*)$/m.exec(service)?.[1], command);
    assert.equal(JSON.parse(/^CMD (.*)$/m.exec(containerfile)?.[1] ?? '[]').join(' '), command);
    const wanted = settings.trim().split(' ');
    assert.ok(wanted.length > 1);
    for (const line of [/^Environment=(.*)$/m.exec(service)?.[1], /^ENV (.*)$/m.exec(containerfile)?.[1]])
      assert.deepEqual(
        wanted.filter((setting) => !line?.split(' ').includes(setting)),
        [],
      );
  });

  it('has a health check that follows the settings', async () => {
    const { port, hostname } = new URL(app.address);
    await eventually(async () => (await health(hostname, port)) === 0, 'it is ready');
    assert.equal(await health(hostname, '1'), 1, 'nobody listens there');
  });

  it('has a health check that ends where a server hangs or is not ready', async () => {
    const silent = () => undefined;
    const starting = (_: IncomingMessage, response: ServerResponse) => void response.writeHead(503).end();
    for (const answer of [silent, starting]) {
      const server = createServer(answer).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      assert.equal(await health('127.0.0.1', String(port)), 1);
      server.closeAllConnections();
      server.close();
    }
  });

  it('copies what is there', () => {
    const copied = [...read('contrib/Containerfile').matchAll(/^COPY (.*) \S+$/gm)];
    for (const path of copied.flatMap(([, paths = '']) => paths.split(' '))) {
      assert.ok(existsSync(join(ROOT, path)), path);
    }
  });
});

/** What the health check ends with when it asks there. */
async function health(host: string, port: string): Promise<number | null> {
  const env = { ATRIUM_HOST: host, ATRIUM_PORT: port };
  const [status] = await once(spawn(process.execPath, [HEALTH_CHECK], { env }), 'exit');
  return status;
}
