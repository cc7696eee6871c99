import { hash } from 'node:crypto';
import { type ColumnDefinitionBuilder, sql } from 'kysely';
import { fold } from '../../../text/fold.ts';
import type { Migration, Schema } from '../schema.ts';
import type { SchemaTransaction } from '../schema-transaction.ts';

/** Lists the events of others by the addresses that they list, whatever has been answered and whether they block. */
export const invitations: Migration = {
  name: '0026-invitations',
  async up(schema) {
    await createInvitations(schema);
    await inviteToStoredEvents(schema.tx);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** The primary key holds the invitations of an address and a span class in order of the start of their events. */
async function createInvitations({ clusteredTable, integer, text, tx }: Schema): Promise<void> {
  await clusteredTable('calendar_invitations')
    .addColumn('workspace_id', text, kept)
    .addColumn('address', text, kept)
    .addColumn('span_class', integer, kept)
    .addColumn('starts_at', integer, kept)
    .addColumn('event_id', text, kept)
    .addColumn('ends_at', integer, kept)
    .addColumn('owner_id', text, kept)
    .addPrimaryKeyConstraint('calendar_invitations_key', [
      'workspace_id',
      'address',
      'span_class',
      'starts_at',
      'event_id',
    ])
    .execute();
  await tx.schema
    .createIndex('calendar_invitations_by_event')
    .on('calendar_invitations')
    .columns(['event_id'])
    .execute();
}

interface Meeting {
  attendees: { email: string }[];
}

interface Definition {
  series?: Meeting & { rules: unknown[]; included: unknown[] };
  overrides: (Meeting & { andFuture: boolean })[];
}

interface StoredEvent {
  workspace_id: string;
  id: string;
  user_id: string;
  definition: string;
  span_class: number;
  starts_at: number;
  ends_at: number;
}

/** Few, because some events are a thousand times as long as most. */
const EVENTS_AT_ONCE = 20;
const ROWS_A_STATEMENT = 2_000;

async function inviteToStoredEvents(tx: SchemaTransaction): Promise<void> {
  let after: Pick<StoredEvent, 'workspace_id' | 'id'> | undefined = { workspace_id: '', id: '' };
  while (after !== undefined) {
    const events: StoredEvent[] = await eventsAfter(tx, after);
    const rows = events.flatMap(invitationsTo);
    for (let i = 0; i < rows.length; i += ROWS_A_STATEMENT)
      await tx
        .insertInto('calendar_invitations')
        .values(rows.slice(i, i + ROWS_A_STATEMENT))
        .execute();
    after = events.at(-1);
  }
}

/** The next events in order of their key, with their spans as their calendars hold them. */
async function eventsAfter(
  tx: SchemaTransaction,
  { workspace_id, id }: Pick<StoredEvent, 'workspace_id' | 'id'>,
): Promise<StoredEvent[]> {
  const rows = await tx
    .selectFrom('calendar_events as e')
    .innerJoin('calendar_spans as s', (join) =>
      join
        .onRef('s.event_id', '=', 'e.id')
        .onRef('s.workspace_id', '=', 'e.workspace_id')
        .onRef('s.holder', '=', 'e.calendar_id'),
    )
    .select([
      'e.workspace_id',
      'e.id',
      'e.user_id',
      'e.definition',
      's.span_class',
      's.starts_at',
      's.ends_at',
    ])
    .where(sql<boolean>`(e.workspace_id, e.id) > (${workspace_id}, ${id})`)
    .orderBy('e.workspace_id')
    .orderBy('e.id')
    .limit(EVENTS_AT_ONCE)
    .execute();
  return rows as unknown as StoredEvent[];
}

function invitationsTo({ workspace_id, id, user_id, definition, ...span }: StoredEvent) {
  const event = JSON.parse(definition) as Definition;
  const starts_at = span.starts_at + startAfterSpan(event);
  const { span_class, ends_at } = span;
  return addressesOf(event).map((address) => ({
    workspace_id,
    address,
    span_class,
    starts_at,
    event_id: id,
    ends_at,
    owner_id: user_id,
  }));
}

const DAY_MS = 86_400_000;

/**
 * By how much an event starts after its span: that of a series begins a day early. With changes of all later instances
 * it begins earlier still, which only places such a series too early in the list until it is changed again.
 */
function startAfterSpan({ series }: Definition): number {
  return series && series.rules.length + series.included.length > 0 ? DAY_MS : 0;
}

function addressesOf({ series, overrides }: Definition): string[] {
  const meetings = series ? [series, ...overrides] : overrides;
  return [...new Set(meetings.flatMap(({ attendees }) => attendees.map(({ email }) => keyOf(email))))];
}

const LONGEST_KEY = 508;

function keyOf(email: string): string {
  const folded = fold(email);
  return folded.length <= LONGEST_KEY ? folded : `sha256 ${hash('sha256', folded, 'base64url')}`;
}
