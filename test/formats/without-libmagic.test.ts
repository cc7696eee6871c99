/** A server of which libmagic cannot be loaded takes files in all the same, says so, and does not try for each of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY } from '../harness.ts';

const PRELOAD = join(import.meta.dirname, 'without-libmagic.ts');
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const UPLOADS = 10;

describe('a server without libmagic', { timeout: 300_000 }, () => {
  let directory: string;
  let log: FileHandle;
  let server: ServedProcess;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'atrium-libmagic-'));
    log = await open(join(directory, 'log'), 'w');
  });
  afterEach(async () => {
    await server.kill();
    await log.close();
    await rm(directory, { recursive: true });
  });

  it('answers files without a type, tries seldom, says why, and finds types once it can', async () => {
    const missing = join(directory, 'missing');
    await writeFile(missing, '');
    await start({ ATRIUM_TEST_LIBMAGIC_MISSING_WHILE: missing });
    for (let i = 0; i < UPLOADS; i++) assert.equal(await typeOfUpload(), 'application/octet-stream');
    const tries = (await said()).split('a try to load libmagic').length - 1;
    assert.ok(tries > 0 && tries < UPLOADS, `${tries} tries for ${UPLOADS} files`);
    const warning = /libmagic cannot be loaded, so what files hold is not known: .*It cannot be read/;
    await eventually(async () => warning.test(await said()), 'the warning');
    await rm(missing);
    await eventually(async () => (await typeOfUpload()) === 'image/png', 'the type is known');
  });

  it('stays when not even the thread of libmagic can be loaded', async () => {
    await start({});
    assert.equal(await typeOfUpload(), 'application/octet-stream');
  });

  async function start(settings: Record<string, string>): Promise<void> {
    const surroundings = { log: log.fd, preload: PRELOAD };
    server = await serveProcess({ ATRIUM_DATA_DIR: join(directory, 'data'), ...settings }, surroundings);
  }

  function said(): Promise<string> {
    return readFile(join(directory, 'log'), 'utf8');
  }

  async function typeOfUpload(): Promise<string> {
    const response = await fetch(`${server.address}/v1/files?filename=a`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'idempotency-key': randomUUID(),
        'content-type': 'application/octet-stream',
      },
      body: PNG,
    });
    const text = await response.text();
    assert.equal(response.status, 201, text);
    return JSON.parse(text).data.mime_type;
  }
});
