import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { TestApp } from '../harness.ts';
import { PROGRAM, programEnvironment } from '../program.ts';
import { everyPage } from './mail-world.ts';

/** What `--json` reports. */
export interface Report {
  added: number;
  already_there: number;
  skipped: { source: string; reason: string }[];
}

export interface FilterOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts `atrium import mail` beside a server that runs. */
export function startImport({ config }: TestApp, args: readonly string[]): ChildProcess {
  const { dataDir, databaseUrl } = config;
  return spawn(process.execPath, [PROGRAM, 'import', 'mail', ...args], {
    env: { ...programEnvironment(), ATRIUM_DATA_DIR: dataDir, ATRIUM_DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
}

export async function runImport(app: TestApp, args: readonly string[]): Promise<FilterOutcome> {
  const child = startImport(app, args);
  assert.ok(child.stdout && child.stderr);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

/** Imports into a folder; answers the report. It fails exactly when something that was named is skipped. */
export async function importMail(app: TestApp, ...args: string[]): Promise<Report> {
  const { code, stdout, stderr } = await runImport(app, ['--json', app.config.ownerEmail, ...args]);
  const report: Report = JSON.parse(stdout);
  const isMissed = report.skipped.some(({ source }) => args.includes(source));
  assert.deepEqual([code, stderr], [isMissed ? 1 : 0, '']);
  return report;
}

/** A directory with these files, by path; gone after the test. */
export async function directoryOf(
  t: TestContext,
  files: Record<string, string | Uint8Array>,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-import-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

/** A mailbox file of these messages. */
export function mbox(messages: readonly string[], date = 'Thu Jan  1 00:00:00 2026'): string {
  return messages.map((raw) => `From ada@example.org ${date}\n${raw.replaceAll('\r\n', '\n')}\n`).join('');
}

/** The summaries of the folder that a name leads to, which counts them right. */
export async function messagesIn(app: TestApp, folder: string) {
  const { json } = await app.get('/v1/folders');
  let last = { id: '', message_count: 0, unread_count: 0 };
  for (const name of folder.split('/')) {
    const found = json.data.find(
      (candidate: { name: string; parent_id: string }) =>
        candidate.name === name && candidate.parent_id === last.id,
    );
    assert.ok(found, `there is no folder ${folder}`);
    last = found;
  }
  const messages = await everyPage(app, `/v1/messages?folder_id=${last.id}`, 200);
  const unread = messages.filter(({ flags }) => !flags.read);
  assert.deepEqual([last.message_count, last.unread_count], [messages.length, unread.length]);
  return messages;
}
