/**
 * Keeps what this version makes, for later ones to open: `node test/upgrade/make.ts`, run once for each version, right
 * before it is tagged. Made again, it takes the place of what was made of the version before.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { Atrium } from '../../client/src/index.ts';
import { populate } from '../../demo/populate.ts';
import { backUp } from '../../src/archive/backup.ts';
import { VERSION } from '../../src/platform/version.ts';
import { openServices } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { ensureFirstWorkspace } from '../../src/start/first-workspace.ts';
import { startServer } from '../../src/start/server.ts';
import { everythingOf } from './answers.ts';
import { KEY, migrationDigests, RELEASES } from './released.ts';

const DAY_MS = 86_400_000;
const AMOUNTS = { messages: 40, contacts: 12 };

const work = mkdtempSync(join(tmpdir(), 'atrium-release-'));
const [data, backup, release] = [join(work, 'data'), join(work, 'backup'), join(RELEASES, VERSION)];
const config = readConfig({
  ATRIUM_PORT: '0',
  ATRIUM_SMTP_PORT: '0',
  ATRIUM_DATA_DIR: data,
  ATRIUM_OWNER_KEY: KEY,
});
const services = await openServices(config);
await ensureFirstWorkspace(services, config);
const server = await startServer(config, services, pino({ level: 'warn' }));
await populate(server.address, KEY, AMOUNTS);
const today = Date.parse(new Date().toISOString().slice(0, 10));
const window = { start: new Date(today).toISOString(), end: new Date(today + 60 * DAY_MS).toISOString() };
const answers = await everythingOf(new Atrium({ address: server.address, key: KEY }), window);
await backUp(services, backup, { rows: 0, blobs: 0, bytes: 0 });
await server.stop();

mkdirSync(release, { recursive: true });
for (const name of ['data', 'backup']) {
  execFileSync('tar', ['-czf', join(release, `${name}.tar.gz`), '-C', work, name]);
}
const kept = { window, migrations: migrationDigests(), answers };
writeFileSync(join(release, 'release.json'), `${JSON.stringify(kept, null, 1)}\n`);
rmSync(work, { recursive: true });
