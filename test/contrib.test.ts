import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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
    const service = read('contrib/atrium.service');
    const command = /^ExecStart=\/opt\/atrium\/(.*)$/m.exec(service)?.[1];
    assert.equal(command, `node_modules/.bin/node ${options}`);
    const wanted = settings.trim().split(' ');
    assert.ok(wanted.length > 1);
    const given = /^Environment=(.*)$/m.exec(service)?.[1]?.split(' ');
    assert.deepEqual(
      wanted.filter((setting) => !given?.includes(setting)),
      [],
    );
  });

  it('starts what is published in a container, on the Node that is published with it', () => {
    const containerfile = read('contrib/Containerfile');
    const { name, bin, optionalDependencies } = JSON.parse(read('package.json'));
    const images = [...containerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    const versions = Object.values(optionalDependencies);
    assert.deepEqual([...new Set(images)], [`node:${versions[0]}-slim`]);
    // The launcher, which test/scripts/launcher.test.ts holds against npm start.
    assert.deepEqual(JSON.parse(/^CMD (.*)$/m.exec(containerfile)?.[1] ?? '[]'), [name, 'serve']);
    assert.ok(containerfile.includes(`ln -s /opt/atrium/${bin[name]} /usr/local/bin/${name}`));
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
});

/** What the health check ends with when it asks there. */
async function health(host: string, port: string): Promise<number | null> {
  const env = { ATRIUM_HOST: host, ATRIUM_PORT: port };
  const [status] = await once(spawn(process.execPath, [HEALTH_CHECK], { env }), 'exit');
  return status;
}
