/** Two installations, each with a database of its own: what happens to one is nothing to the other. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY } from '../harness.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { USER } from '../postgres-programs.ts';
import { type Link, startLink } from './link.ts';

/** Requests of the other installation while the first one's database is away. */
const MEANWHILE = 50;

/** A whole application, and the database that it has alone. */
class Installation {
  readonly #dataDir: string;
  readonly #link: Link;
  readonly #node: ServedProcess;
  #postgres: PostgresServer;

  private constructor(dataDir: string, link: Link, node: ServedProcess, postgres: PostgresServer) {
    this.#dataDir = dataDir;
    this.#link = link;
    this.#node = node;
    this.#postgres = postgres;
  }

  static async start(): Promise<Installation> {
    const dataDir = await mkdtemp(join(tmpdir(), 'atrium-installation-'));
    const link = await startLink();
    const postgres = await startPostgres(`${dataDir}.rows`);
    link.lead(socketOf(postgres));
    const log = await open(`${dataDir}.log`, 'w');
    const settings = {
      ATRIUM_DATA_DIR: dataDir,
      ATRIUM_DATABASE_URL: `postgres://${USER}@127.0.0.1:${link.port}/postgres`,
    };
    const node = await serveProcess(settings, { log: log.fd });
    await log.close();
    return new Installation(dataDir, link, node, postgres);
  }

  /** Kills its database; nobody starts it again. */
  async loseDatabase(): Promise<void> {
    this.#link.lead(undefined);
    await this.#postgres.stop();
  }

  async findDatabase(): Promise<void> {
    this.#postgres = await startPostgres(`${this.#dataDir}.rows`);
    this.#link.lead(socketOf(this.#postgres));
  }

  async send(method: string, path: string, body?: object, idempotencyKey: string = randomUUID()) {
    const answer = await fetch(this.#node.address + path, {
      method,
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async groups(): Promise<string[]> {
    const { status, text } = await this.send('GET', '/v1/groups?limit=200');
    assert.equal(status, 200, text);
    return JSON.parse(text).data.map(({ name }: { name: string }) => name);
  }

  async stop(): Promise<void> {
    await this.#node.kill();
    await this.#postgres.stop();
    this.#link.close();
    for (const suffix of ['', '.rows', '.log'])
      await rm(this.#dataDir + suffix, { recursive: true, force: true });
  }
}

function socketOf({ url }: PostgresServer): string {
  return `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`;
}

describe('two installations', { timeout: 600_000 }, () => {
  let one: Installation;
  let other: Installation;
  before(async () => {
    one = await Installation.start();
    other = await Installation.start();
  });
  after(async () => {
    await one?.stop();
    await other?.stop();
  });

  const group = (name: string) => ({ name, member_ids: [] });

  it('where one loses its database the other answers every request, and the one goes on when it is back (OPS-86)', async () => {
    const kept = await one.send('POST', '/v1/groups', group('kept'));
    assert.equal(kept.status, 201, kept.text);
    await one.loseDatabase();
    const key = randomUUID();
    const refused = await one.send('POST', '/v1/groups', group('repeated'), key);
    assert.equal(refused.status, 503, refused.text);
    assert.equal((await one.send('GET', '/readyz')).status, 503);
    for (let n = 0; n < MEANWHILE; n++) {
      const written = await other.send('POST', '/v1/groups', group(`group ${n}`));
      assert.equal(written.status, 201, written.text);
      assert.equal((await other.send('GET', '/readyz')).status, 200);
    }
    assert.equal((await other.groups()).length, MEANWHILE);
    await one.findDatabase();
    await eventually(
      async () => (await one.send('POST', '/v1/groups', group('repeated'), key)).status === 201,
      'the repeat is answered',
    );
    assert.deepEqual((await one.groups()).sort(), ['kept', 'repeated']);
  });
});
