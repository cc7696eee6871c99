/** The programs of `examples/`, run as people run them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Permission } from '../../src/contract/permissions.ts';
import { eventually } from '../eventually.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const EXAMPLES = join(ROOT, 'examples');

/** The permissions that examples/README.md tells for the example under this heading. */
export function permissionsOf(heading: string): Permission[] {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const [, list = ''] = /The key needs ([^.]*(?:\.[a-z][^.]*)*)\.\s/.exec(section) ?? [];
  const permissions = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name as Permission);
  assert.ok(permissions.length > 5, `${heading} tells what its key needs`);
  return permissions;
}

/** A program that runs, and what it has said so far. */
export class RunningProgram {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  output = '';

  constructor(command: readonly [string, ...string[]], env: Record<string, string>, cwd = ROOT) {
    const [program, ...args] = command;
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(program, args, {
      cwd,
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when it has said this; fails when it ends before. */
  async says(words: string): Promise<void> {
    await eventually(() => this.output.includes(words) || this.hasEnded, `the program says ${words}`);
    assert.ok(this.output.includes(words), this.output);
  }

  /** Ends it as if its machine had died. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Ends it as Ctrl-C does, and fails where it has ended by itself. */
  async stop(): Promise<void> {
    assert.ok(!this.hasEnded, this.output);
    this.#child.kill('SIGINT');
    await this.#exited;
  }

  ended(): Promise<unknown> {
    return this.#exited;
  }
}
