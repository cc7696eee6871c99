/** Serves an application of its own with little patience, tells its parent where, and ends with it. */
import pino from 'pino';
import { startServer } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { ensureOwner } from '../../src/founding.ts';
import { openProduct } from '../../src/product.ts';
import { OWNER_KEY } from '../harness.ts';

const PATIENCE = { headers: 10_000, request: 20_000, silence: 15_000, idle: 15_000, lookEvery: 250 };

const config = readConfig({
  ATRIUM_PORT: '0',
  ATRIUM_SMTP_PORT: 'off',
  ATRIUM_OWNER_KEY: OWNER_KEY,
  ATRIUM_DATA_DIR: process.argv[2],
});
const product = await openProduct(config);
await ensureOwner(product, config);
const { address } = await startServer(config, product, pino(pino.destination(2)), PATIENCE);
process.on('disconnect', () => process.exit());
process.send?.(address);
