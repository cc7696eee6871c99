/** Serves an application of its own with little patience, tells its parent where, and ends with it. */
import pino from 'pino';
import { openServices } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { ensureFirstWorkspace } from '../../src/start/first-workspace.ts';
import { startServer } from '../../src/start/server.ts';
import { OWNER_KEY } from '../harness.ts';

const PATIENCE = { headers: 10_000, request: 20_000, silence: 15_000, idle: 15_000, lookEvery: 250 };

const config = readConfig({
  ATRIUM_PORT: '0',
  ATRIUM_SMTP_PORT: 'off',
  ATRIUM_OWNER_KEY: OWNER_KEY,
  ATRIUM_DATA_DIR: process.argv[2],
});
const services = await openServices(config);
await ensureFirstWorkspace(services, config);
const { address } = await startServer(config, services, pino(pino.destination(2)), PATIENCE);
process.on('disconnect', () => process.exit());
process.send?.(address);
