import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import type { Write } from './actor.ts';

/** A write that was answered. */
export interface Entry {
  write: Write;
  /** The API key that it was sent with. */
  key: string;
  idempotencyKey: string;
  status: number;
  text: string;
}

/** A message that the door for mail said yes to. */
export interface MailEntry {
  /** An API key of the recipient. */
  key: string;
  subject: string;
}

/** All answered writes, on the disk before anybody goes on. */
export interface Ledger {
  readonly count: number;
  /** Measures the times without an answered write from now on. */
  beginPauses(): void;
  /** Answers the longest of them, in milliseconds. */
  endPauses(): number;
  /** Resolves when it is on the disk. */
  keep(entry: Entry | MailEntry): Promise<void>;
  /** What was kept, from this one on. */
  read(from: number): Promise<(Entry | MailEntry)[]>;
  close(): Promise<void>;
}

interface Stored extends Omit<Entry, 'write'> {
  write: Omit<Write, 'body'>;
  /** How a body is written down. */
  body: { text: string } | { base64: string } | { json: object } | undefined;
}

/** Begins one in a file. */
export async function openLedger(path: string): Promise<Ledger> {
  const file = await open(path, 'w');
  let count = 0;
  let longestPauseMs = 0;
  let lastAt: number | undefined;
  let waiting: string[] = [];
  let synced: Promise<void> | undefined;
  /** One sync is for all that came while the one before ran. */
  const sync = async () => {
    const lines = waiting.join('');
    waiting = [];
    await file.appendFile(lines);
    await file.datasync();
  };
  const countPause = () => {
    if (lastAt === undefined) return;
    const now = performance.now();
    longestPauseMs = Math.max(longestPauseMs, now - lastAt);
    lastAt = now;
  };
  return {
    get count() {
      return count;
    },
    beginPauses: () => {
      longestPauseMs = 0;
      lastAt = performance.now();
    },
    endPauses: () => {
      countPause();
      lastAt = undefined;
      return Math.round(longestPauseMs);
    },
    keep: async (entry) => {
      countPause();
      count++;
      waiting.push(`${JSON.stringify('write' in entry ? storedOf(entry) : entry)}\n`);
      const before = synced;
      if (waiting.length === 1) synced = Promise.resolve(before).then(sync);
      await synced;
    },
    read: async (from) => {
      const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
      assert.equal(lines.length, count, 'the ledger is whole');
      return lines.slice(from).map((line) => readEntry(JSON.parse(line)));
    },
    close: () => file.close(),
  };
}

function storedOf({ write: { body, ...write }, ...entry }: Entry): Stored {
  return { ...entry, write, body: bodyOf(body) };
}

function bodyOf(body: Write['body']): Stored['body'] {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return { base64: body.toString('base64') };
  return typeof body === 'string' ? { text: body } : { json: body };
}

function readEntry(stored: Stored | MailEntry): Entry | MailEntry {
  return 'write' in stored ? entryOf(stored) : stored;
}

function entryOf({ body, write, ...entry }: Stored): Entry {
  if (body === undefined) return { ...entry, write };
  if ('base64' in body) return { ...entry, write: { ...write, body: Buffer.from(body.base64, 'base64') } };
  return { ...entry, write: { ...write, body: 'text' in body ? body.text : body.json } };
}
