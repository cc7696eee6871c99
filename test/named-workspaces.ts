import type { CompiledQuery, QueryResult } from 'kysely';
import type { Engine } from '../src/storage/database.ts';
import { type Transaction, TransactionRun } from '../src/storage/transaction.ts';
import { unnamedWorkspaces } from './storage/workspace-values.ts';

const SWEEP = 'a sweep of the installation, which then handles what it finds by workspace';
const FEED = 'the feed of all changes, in the order in which they were committed';
const INDEX = 'the search index, which walks all that there is';
const SECRET = 'a secret of the console, of which nobody knows the workspace yet; it lives for minutes';
const WHOLE = 'everything of the installation is read or made anew';

/** Who may leave the workspace out, and why: functions by the file that they are in, or all of a folder. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'areas/changes/change-store.ts lastTransaction': FEED,
  'areas/changes/change-store.ts readPortion': FEED,
  'areas/changes/change-store.ts removeChangesBefore': SWEEP,
  'areas/changes/news.ts findNews': FEED,
  'areas/changes/numbers-on-clusters.ts feedsAbove': FEED,
  'areas/changes/webhooks/delivery-store.ts isAnyActive': SWEEP,
  'areas/changes/webhooks/delivery-store.ts listDue': SWEEP,
  'areas/contacts/search/searched-store.ts listKeysAfter': INDEX,
  'areas/contacts/search/to-index-store.ts nextPartitionToIndex': SWEEP,
  'areas/directory/user-store.ts findUserAnywhere': 'a user whom the command line names by the id alone',
  'areas/drive/search/searched-store.ts listNodeKeysAfter': INDEX,
  'areas/drive/uploads/upload-store.ts listDueSessions': SWEEP,
  'areas/keys/sign-in/session-store.ts listEnded': SWEEP,
  'areas/keys/sign-in/sign-in-store.ts beginTicket': SECRET,
  'areas/keys/sign-in/sign-in-store.ts findCode': SECRET,
  'areas/keys/sign-in/sign-in-store.ts findSession': SECRET,
  'areas/keys/sign-in/sign-in-store.ts findTicket': SECRET,
  'areas/keys/sign-in/sign-in-store.ts findToken': SECRET,
  'areas/keys/sign-in/sign-in-store.ts removeExpired': SWEEP,
  'areas/keys/sign-in/sign-in-store.ts takeCode': SECRET,
  'areas/mail/arrival/delivery-log-store.ts removeDeliveries': SWEEP,
  'areas/mail/messages/rebuild-summaries-store.ts listOldMessages': SWEEP,
  'areas/mail/search/search-store.ts listKeysAfter': INDEX,
  'areas/mail/sending/outbox-store.ts findDueBehind': SWEEP,
  'areas/mail/sending/outbox-store.ts firstDue': SWEEP,
  'areas/mail/sending/outbox-store.ts isAnyDue': SWEEP,
  'areas/spreadsheets/workbook/orphaned-sheets.ts listOrphanedSheets': SWEEP,
  'blobs/checksum.ts findChecksum': 'whoever verifies a blob, of all workspaces that may share it',
  'blobs/checksum.ts removeChecksumAnywhere': WHOLE,
  'blobs/pending-store.ts listPending': SWEEP,
  'blobs/pending-store.ts removePendingAnywhere': WHOLE,
  'once/idempotency-store.ts removeExpiredRecords': SWEEP,
  'archive/': WHOLE,
  'start/verification.ts': WHOLE,
  'storage/full-text/': INDEX,
  'storage/monitored-database.ts': 'a table that is made to see whether there is room',
  'storage/schema/': WHOLE,
};

/** Parts of the source that run the statements of others. */
const CARRIERS =
  /(?:^|\/)node_modules\/|src\/storage\/(?:transaction\.ts|query\/|sqlite\/|postgres\/)|test\/(?:plans|locks-first|named-workspaces|pushed-insertions|repeated-works)\.ts$/;
const FRAME =
  /at (?:async )?(?:[\w$<>]+\.)*([\w$<>]+) \(file:.*\/((?:src|test)\/[^:]+):|at (?:async )?file:.*\/((?:src|test)\/[^:]+):/;
const FRAMES_READ = 60;

const engines = new WeakMap<TransactionRun, Engine>();
/** Each statement is judged once: it is the same wherever it is run. */
const judged = new Set<string>();
/** What statements name no workspace for: those of sweeps and of tests are judged each time. */
const parsed = new Map<string, string[]>();
const unnamed: string[] = [];

let isInsistedOn = false;

/**
 * Has `requireNamedWorkspaces` throw once a statement for PostgreSQL has read or written rows of workspaces without a
 * value for their workspace (OPS-68). Statements of tests are their own affair.
 */
export function insistOnNamedWorkspaces(): void {
  if (isInsistedOn) return;
  isInsistedOn = true;
  const { executeQuery, run } = TransactionRun.prototype;
  TransactionRun.prototype.run = function <T>(
    work: (tx: Transaction) => Promise<T>,
    ...store: []
  ): Promise<T> {
    const noted = (tx: Transaction) => {
      engines.set(this, tx.engine);
      return work(tx);
    };
    return run.call(this, noted, ...store) as Promise<T>;
  };
  TransactionRun.prototype.executeQuery = function <R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (engines.get(this) === 'postgres' && !judged.has(query.sql)) judge(query.sql);
    return executeQuery.call(this, query) as Promise<QueryResult<R>>;
  };
}

/** Throws where statements have named no workspace: whoever ran them got what they asked for. */
export function requireNamedWorkspaces(): void {
  const found = unnamed.splice(0);
  if (found.length > 0) throw new Error(found.join('\n'));
}

function judge(sql: string): void {
  const tables = parsed.get(sql) ?? (sql.startsWith('explain ') ? [] : unnamedWorkspaces(sql));
  parsed.set(sql, tables);
  if (tables.length > 0) {
    const by = runBy();
    if (by === undefined || isExcepted(by)) return;
    unnamed.push(`${by} names no workspace for ${tables.join(' and ')}: ${sql}`);
  }
  judged.add(sql);
}

/** The function of the source that runs the present statement, with its file; undefined where a test does. */
function runBy(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES_READ;
  const lines = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  for (const line of lines) {
    const [, name = '', file = line.match(FRAME)?.[3] ?? ''] = line.match(FRAME) ?? [];
    if (file === '' || /node_modules|node:/.test(line) || CARRIERS.test(file)) continue;
    return file.startsWith('src/') ? `${file.slice('src/'.length)} ${name}`.trim() : undefined;
  }
  return undefined;
}

function isExcepted(by: string): boolean {
  return Object.keys(EXCEPTIONS).some(
    (part) => by === part || (/[/]$|\.ts$/.test(part) && by.startsWith(part)),
  );
}
