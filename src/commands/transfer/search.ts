import type { Command } from 'commander';
import type { SearchHit } from '../../../client/src/generated/areas.ts';
import { counted, show, table } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './connection.ts';

interface SearchOptions extends ConnectionOptions {
  kinds?: SearchHit['kind'][];
  limit: string;
}

const DEFAULT_LIMIT = 25;
const LONGEST_SHOWN = 70;

export function addSearchCommands(program: Command): void {
  const command = program
    .command('search')
    .description('Search messages, contacts, files, documents and spreadsheets')
    .argument('<query...>', 'words and operators, such as: invoice from:anna')
    .option('--kinds <kind...>', 'only these: message, contact, file, document, spreadsheet')
    .option('--limit <number>', 'most hits', String(DEFAULT_LIMIT));
  withConnectionOptions(command).action(search);
  command
    .command('rebuild')
    .description('Make the full-text index anew; goes on where an earlier run broke off')
    .action(rebuild);
}

async function search(
  query: string[],
  { kinds, limit, ...options }: SearchOptions,
  command: Command,
): Promise<void> {
  const { atrium } = await connect(options);
  const wanted = Number(limit);
  const hits: SearchHit[] = [];
  for await (const hit of atrium.search.search({ q: query.join(' '), ...(kinds && { kinds }) })) {
    if (hits.push(hit) >= wanted) break;
  }
  show(command, hits, () =>
    hits.length === 0
      ? 'Nothing was found.'
      : table(
          ['AT', 'KIND', 'TITLE', 'TEXT'],
          hits.map(({ at, kind, title, snippet }) => [at, kind, shortened(title), shortened(snippet)]),
        ),
  );
}

function shortened(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1).toWellFormed()}…`;
}

async function rebuild(_options: object, command: Command): Promise<void> {
  let built = 0;
  const line = new ProgressLine(() => `${counted(built, 'object')} indexed`);
  await withServices(async ({ indexer }) => {
    built = await indexer.beginBuild();
    await indexer.catchUp((step) => {
      built = step.built;
    });
  }).finally(() => line.end());
  show(command, { objects: built }, () => `The full-text index has ${counted(built, 'object')}.`);
}
