import type { ReadTransaction } from '../../storage/database.ts';
import { ownTables } from '../../storage/schema/own-tables.ts';
import type { Cell, TableShape } from '../../storage/schema/table-rows.ts';
import { UNARCHIVED_TABLES } from '../archived-tables.ts';

/** A table whose rows get their `number` from the database, as the source of the numbers that rows name. */
export type NumberFamily = 'messages' | 'mail_folders' | 'contacts' | 'nodes';

/** By table, the columns with numbers of a family. Each installation gives its own, so a move gives new ones. */
const NUMBER_COLUMNS: Readonly<Record<string, Readonly<Record<string, NumberFamily>>>> = {
  messages: { number: 'messages' },
  message_states: { number: 'messages', folder_number: 'mail_folders' },
  message_contents: { number: 'messages', content_of: 'messages' },
  message_labels: { message_number: 'messages', folder_number: 'mail_folders' },
  expunged_messages: { number: 'messages', folder_number: 'mail_folders' },
  mail_drafts: { message_number: 'messages' },
  mail_summaries_to_make: { number: 'messages' },
  mail_folders: { number: 'mail_folders' },
  contacts: { number: 'contacts' },
  contact_grams: { number: 'contacts' },
  contacts_to_index: { number: 'contacts' },
  nodes: { number: 'nodes' },
  node_grams: { number: 'nodes' },
};

/** By family, the tables with all of its numbers in a workspace. */
export const FAMILIES: Readonly<Record<NumberFamily, readonly string[]>> = {
  messages: ['messages', 'expunged_messages'],
  mail_folders: ['mail_folders'],
  contacts: ['contacts'],
  nodes: ['nodes'],
};

/**
 * Numbers that count for themselves, within what their row names; and the place of a webhook in the feed, which has no meaning
 * in another era of the feed.
 */
const OTHER_NUMBERS = ['webhook_attempts.number', 'webhooks.number'];

/** Tables that are of no workspace, those whose rows a move makes itself, and the state of moves. */
const OF_NO_WORKSPACE = ['server_secrets', 'blob_checksums', 'workspace_moves'];

/**
 * Tables by which somebody finds something of a workspace, or by which work for it begins: their rows come last, all at once.
 * Until then nobody sees what is there.
 */
const ENTRANCES = [
  'workspaces',
  'users',
  'user_addresses',
  'api_keys',
  'sessions',
  'webhooks',
  'webhook_attempts',
  'webhook_dead_deliveries',
  'mail_outbox',
];

/** A table with rows of workspaces. */
export interface MovedTable extends TableShape {
  /** The column with the id of the workspace. */
  readonly workspaceColumn: string;
  /** Whether its rows come last, all at once. */
  readonly isEntrance: boolean;
}

/** The tables that a move carries. Throws TypeError for a column of numbers of which nothing is known here. */
export async function movedTables(tx: ReadTransaction): Promise<MovedTable[]> {
  const shapes = (await ownTables(tx)).filter(
    ({ name }) => !UNARCHIVED_TABLES.includes(name) && !OF_NO_WORKSPACE.includes(name),
  );
  for (const shape of shapes) requireKnownNumbers(shape);
  return shapes.map((shape) => ({
    ...shape,
    workspaceColumn: shape.name === 'workspaces' ? 'id' : 'workspace_id',
    isEntrance: ENTRANCES.includes(shape.name),
  }));
}

function requireKnownNumbers({ name, columns }: TableShape): void {
  for (const column of columns) {
    if (!/(?:^|_)number$/.test(column) || OTHER_NUMBERS.includes(`${name}.${column}`)) continue;
    if (NUMBER_COLUMNS[name]?.[column] === undefined)
      throw new TypeError(`Nothing says what ${name}.${column} numbers, so no move can carry it`);
  }
}

/** What is added to the numbers of each family. */
export type Offsets = Readonly<Record<NumberFamily, number>>;

/** The row with the numbers of the other installation. */
export function renumbered({ name, columns }: TableShape, row: readonly Cell[], offsets: Offsets): Cell[] {
  const families = NUMBER_COLUMNS[name];
  if (families === undefined) return [...row];
  return row.map((value, i) => {
    const family = families[columns[i] as string];
    return family === undefined || typeof value !== 'number' ? value : value + offsets[family];
  });
}
