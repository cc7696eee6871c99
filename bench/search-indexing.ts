/**
 * What indexing costs deliveries: mail of 13 KB by SMTP while the index follows, beside the same while it waits. To
 * reach: four fifths. And how long after the answer to its delivery a message is found, while mail comes in as fast as one
 * connection brings it. To reach: 2 s.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurns } from './mail/measuring.ts';
import { get, HEADERS, type SmtpServer, startAtriumWithSmtp } from './mail/servers.ts';
import { smtpLoad } from './mail/smtp-load.ts';
import type { Figure } from './report.ts';

const ROUNDS = 5;
const CONNECTIONS = 16;
/** Less than an index waits for its file. */
const TURN_SECONDS = 2;
const EVERY_MS = 250;
/** Messages that are looked for, one after the other. */
const LOOKED_FOR = 20;
const LOOK_EVERY_MS = 10;
/** How long the position of the index stands still when it has caught up. */
const STILL_MS = 2_000;

export async function bench(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const atrium = await startAtriumWithSmtp(directory);
  const index = new DatabaseSync(join(directory, 'search.sqlite'), { timeout: 10_000 });
  try {
    const rate = async () => {
      const { perSecond } = await smtpLoad({
        port: atrium.smtpPort,
        recipient: 'owner@localhost',
        connections: CONNECTIONS,
        seconds: TURN_SECONDS,
      });
      return perSecond;
    };
    await untilMade(index);
    const pair = await inTurns(
      { value: () => afterCatchingUp(index, rate), ceiling: () => withoutIndexing(index, rate) },
      ROUNDS,
    );
    const found = await afterCatchingUp(index, () => timesUntilFound(atrium));
    return [
      { name: 'from the delivery until it is found, slowest of 20', unit: 'ms', value: Math.max(...found) },
      { name: 'deliveries while they are indexed', unit: '/s', ...pair },
      { name: 'bytes of the index, a message of 13 KB', unit: 'KB', value: kilobytesOfOne(index) },
    ];
  } finally {
    index.close();
    await atrium.stop();
    await rm(directory, { recursive: true });
  }
}

/** Milliseconds from the answer to a message until it is found, while others come in. */
async function timesUntilFound(atrium: SmtpServer): Promise<number[]> {
  const stopped = { isStopped: false };
  const others = (async () => {
    while (!stopped.isStopped)
      await smtpLoad({ port: atrium.smtpPort, recipient: 'owner@localhost', connections: 1, seconds: 1 });
  })();
  const times: number[] = [];
  for (let i = 0; i < LOOKED_FOR; i++) times.push(await timeUntilFound(atrium, `looked${i}for`));
  stopped.isStopped = true;
  await others;
  return times;
}

async function timeUntilFound(atrium: SmtpServer, word: string): Promise<number> {
  const answer = await fetch(`${atrium.url}/v1/folders/inbox/messages`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'message/rfc822', 'idempotency-key': word },
    body: `From: ada@example.org\r\nSubject: ${word}\r\n\r\ntext\r\n`,
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  const begin = performance.now();
  while ((await get(atrium, `/v1/search?q=${word}`)).data.length === 0) await sleep(LOOK_EVERY_MS);
  return performance.now() - begin;
}

/** Resolves when the server has made the tables of the index. */
async function untilMade(index: DatabaseSync): Promise<void> {
  const made = index.prepare(`select 1 from sqlite_schema where name = 'state'`);
  while (made.get() === undefined) await sleep(EVERY_MS);
}

/** The index waits for its own file, which this process holds. */
async function withoutIndexing<T>(index: DatabaseSync, work: () => Promise<T>): Promise<T> {
  return afterCatchingUp(index, async () => {
    index.exec('begin immediate');
    try {
      return await work();
    } finally {
      index.exec('rollback');
    }
  });
}

async function afterCatchingUp<T>(index: DatabaseSync, work: () => Promise<T>): Promise<T> {
  const read = () => String(index.prepare('select value from state').get()?.value);
  for (let before = ''; before !== read(); await sleep(STILL_MS)) before = read();
  await sleep(EVERY_MS);
  return work();
}

function kilobytesOfOne(index: DatabaseSync): number {
  const { bytes } =
    index.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size').get() ??
    {};
  const { count } = index.prepare('select count(*) as count from objects').get() ?? {};
  return Number(bytes) / Number(count) / 1e3;
}
