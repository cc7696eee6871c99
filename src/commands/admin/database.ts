import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError } from 'commander';
import {
  type Distribution,
  distribute,
  openMigratedDatabase,
  planDistribution,
} from '../../start/composition.ts';
import { readConfig } from '../../start/config.ts';
import { NotDistributable } from '../../storage/database.ts';
import { counted, show, wantsJson } from '../output.ts';

interface DistributeOptions {
  shards?: number;
  yes?: boolean;
}

/** Adds `database distribute`. */
export function addDatabaseCommands(program: Command): void {
  program
    .command('database')
    .description('Spread the database over the servers of a cluster')
    .command('distribute')
    .description(
      'Spread the tables over the workers of a cluster of Citus by workspace, or go on with a run that broke off',
    )
    .option(
      '--shards <number>',
      'of each table (default: a power of two, 32 or 16 for each worker at least)',
      shardsFrom,
    )
    .option('--yes', 'do not ask')
    .action(distributeDatabase);
}

function shardsFrom(given: string): number {
  if (/^[1-9]\d{0,4}$/.test(given)) return Number(given);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

async function distributeDatabase(
  { shards, yes = false }: DistributeOptions,
  command: Command,
): Promise<void> {
  const config = readConfig();
  if (config.databaseUrl === undefined)
    throw new NotDistributable(
      'The database is SQLite, which has one server: a cluster needs PostgreSQL with the extension Citus, which ATRIUM_DATABASE_URL names.',
    );
  const database = await openMigratedDatabase(config, { isToSpread: false });
  try {
    const plan = await planDistribution(database, shards);
    const isWanted = !hasWork(plan) || yes || (await isAgreed(plan));
    if (isWanted) await distribute(database, plan, wantsJson(command) ? {} : progressSteps());
    showResult(command, plan, isWanted);
  } finally {
    await database.close();
  }
}

function hasWork({ toSpread, toCopy }: Distribution): boolean {
  return toSpread.length + toCopy.length > 0;
}

/** Says what will happen and asks. Throws InvalidArgumentError where nobody can answer. */
async function isAgreed(plan: Distribution): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new InvalidArgumentError('This is no terminal, where you could be asked: say --yes.');
  process.stderr.write(`${intentOf(plan)}\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Go on? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

function intentOf({ toSpread, toCopy, done, workers, shards, bytes }: Distribution): string {
  const lines = [
    `${counted(toSpread.length, 'table')} will be spread by workspace over ${counted(workers, 'worker')}, in ${counted(shards, 'shard')} each, and ${toCopy.length} will be copied to every server: ${(bytes / 1e6).toFixed(0)} MB.`,
    'Rows that are there go over. Nobody writes to a table meanwhile, and until the last one is done requests may be refused: where there is data, stop the nodes first.',
    'Take a backup first: `atrium backup`.',
  ];
  if (done.length > 0) lines.unshift(`${counted(done.length, 'table')} of the database are spread already.`);
  return lines.join('\n');
}

/** A line for each table, once it is done. */
function progressSteps() {
  let place = '';
  return {
    begun: (_table: string, at: number, count: number) => {
      place = `${String(at).padStart(String(count).length)} of ${count}`;
    },
    done: (table: string, rows: number) =>
      process.stderr.write(`${place}  ${table}, ${counted(rows, 'row')}\n`),
  };
}

function showResult(command: Command, plan: Distribution, isDone: boolean): void {
  const { toSpread, toCopy, done, workers, shards } = plan;
  const result = { spread: toSpread, copied: toCopy, before: done, workers, shards, done: isDone };
  show(command, result, () => {
    if (!isDone) return 'Nothing was changed.';
    const all = `All ${toSpread.length + toCopy.length + done.length} tables are spread over ${counted(workers, 'worker')}, in ${counted(shards, 'shard')} each.`;
    return hasWork(plan) ? all : `${all} There was nothing to do.`;
  });
  if (!isDone) process.exitCode = 1;
}
