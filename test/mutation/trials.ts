import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SOURCES_VARIABLE, USAGE_VARIABLE } from './variables.ts';

const ROOT = join(import.meta.dirname, '../..');
/** By which mutated code knows which of its mutants is to be made. */
const ACTIVE_MUTANT = '__STRYKER_ACTIVE_MUTANT__';
/** A mutant may fill a list for ever: it dies before the machine does. */
const MOST_MEGABYTES = 768;
/**
 * How much more time of the processor than without a mutant a test file may take before it counts as running for ever.
 * Of the processor, for a machine that does other work too takes long for everything.
 */
const PATIENCE = 4;
const LEAST_PATIENCE_SECONDS = 4;
/** What waits for ever takes no time of the processor. */
const LONGEST_WAIT_MS = 300_000;

/** What became of a mutant. */
export interface Verdict {
  readonly fate: 'killed' | 'endless' | 'survived';
  /** The test file and the test that failed. */
  readonly by?: string;
}

interface Ending {
  /** Null where it was stopped. */
  readonly code: number | null;
  readonly output: string;
  /** Time of the processor. */
  readonly tookSeconds: number;
}

/** Runs test files on mutated sources, each in a process of its own. */
export class Trials {
  readonly #directory = mkdtempSync(join(tmpdir(), 'atrium-mutation-'));
  readonly #patienceSeconds = new Map<string, number>();
  readonly #running = new Set<ChildProcess>();
  #started = 0;

  constructor(sources: ReadonlyMap<string, string>) {
    process.once('exit', () => this.end());
    const byUrl = [...sources].map(([file, source]) => [pathToFileURL(join(ROOT, file)).href, source]);
    writeFileSync(this.#sourcesFile, JSON.stringify(Object.fromEntries(byUrl)));
  }

  /** Runs every test file without a mutant. Throws Error where one fails. */
  async rehearse(tests: ReadonlySet<string>): Promise<void> {
    for (const test of tests) {
      const { code, output, tookSeconds } = await this.#run(test, undefined, 'unlimited');
      if (code !== 0) throw new Error(`${test} fails without any mutant:\n${output}`);
      this.#patienceSeconds.set(test, Math.ceil(LEAST_PATIENCE_SECONDS + PATIENCE * tookSeconds));
    }
  }

  /** Runs test files, which were rehearsed, in turn until one fails. */
  async try(mutant: string, tests: readonly string[]): Promise<Verdict> {
    for (const test of tests) {
      const { code, output } = await this.#run(test, mutant, this.#patienceSeconds.get(test) ?? 'unlimited');
      if (code === null) return { fate: 'endless', by: test };
      if (code !== 0) return { fate: 'killed', by: `${test}: ${output.split('\n', 1)[0]}` };
    }
    return { fate: 'survived' };
  }

  /** Ends what runs, and removes all that the tests left. */
  end(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #sourcesFile(): string {
    return join(this.#directory, 'sources.json');
  }

  async #run(test: string, mutant: string | undefined, seconds: number | 'unlimited'): Promise<Ending> {
    const temporary = join(this.#directory, String(this.#started++));
    mkdirSync(temporary);
    const usage = join(temporary, 'processor-seconds');
    const command = ['-c', 'ulimit -t "$0"; exec "$@"', String(seconds), process.execPath];
    const child = spawn('sh', [...command, ...OPTIONS, test], {
      cwd: ROOT,
      timeout: LONGEST_WAIT_MS,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        TMPDIR: temporary,
        NODE_COMPILE_CACHE: join(this.#directory, 'compiled'),
        [SOURCES_VARIABLE]: this.#sourcesFile,
        [ACTIVE_MUTANT]: mutant,
        [USAGE_VARIABLE]: usage,
      },
    });
    this.#running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(0, 10_000);
      });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode, signal) => resolve(STOPPED.has(signal) ? null : (exitCode ?? 1)));
    });
    this.#running.delete(child);
    const tookSeconds = existsSync(usage) ? Number(readFileSync(usage, 'utf8')) : 0;
    rmSync(temporary, { recursive: true, force: true });
    return { code, output, tookSeconds };
  }
}

/** What ends a process that has had its time of the processor, or has waited too long. */
const STOPPED: ReadonlySet<string | null> = new Set(['SIGXCPU', 'SIGKILL']);

const OPTIONS = [
  `--max-old-space-size=${MOST_MEGABYTES}`,
  '--import=./test/mutation/mutated-sources.ts',
  '--import=./test/fixed-seed.ts',
  '--test-reporter=./test/mutation/first-failure.ts',
  '--test-reporter-destination=stdout',
  // The rules are the same on both engines, and this one starts at once.
  '--test-skip-pattern=^postgres',
  '--test-force-exit',
];
