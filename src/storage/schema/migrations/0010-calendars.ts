import type { ColumnDefinitionBuilder } from 'kysely';
import { newId } from '../../../platform/ids.ts';
import type { Migration, Schema } from '../schema.ts';
import type { SchemaTransaction } from '../schema-transaction.ts';

/** Calendars and events, and a first calendar for the users that there are. */
export const calendars: Migration = {
  name: '0010-calendars',
  async up(schema) {
    await createCalendars(schema);
    await createEvents(schema);
    await createSpans(schema);
    await makeFirstCalendars(schema.tx);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createCalendars({ clusteredTable, integer, text }: Schema): Promise<void> {
  await clusteredTable('calendars')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('color', text, kept)
    .addColumn('time_zone', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addPrimaryKeyConstraint('calendars_key', ['workspace_id', 'user_id', 'id'])
    .execute();
}

async function createEvents({ table, integer, text, tx }: Schema): Promise<void> {
  await table('calendar_events')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('calendar_id', text, kept)
    .addColumn('uid', text, kept)
    .addColumn('time_zone', text, kept)
    .addColumn('definition', text, kept)
    .addColumn('resources', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addPrimaryKeyConstraint('calendar_events_key', ['workspace_id', 'id'])
    .execute();
  await tx.schema
    .createIndex('calendar_events_by_uid')
    .unique()
    .on('calendar_events')
    .columns(['calendar_id', 'uid', 'workspace_id'])
    .execute();
}

/** Whatever is looked for in a window of time, the primary key holds its candidates in one range a span class. */
async function createSpans({ clusteredTable, integer, text, tx }: Schema): Promise<void> {
  await clusteredTable('calendar_spans')
    .addColumn('workspace_id', text, kept)
    .addColumn('holder', text, kept)
    .addColumn('span_class', integer, kept)
    .addColumn('starts_at', integer, kept)
    .addColumn('event_id', text, kept)
    .addColumn('ends_at', integer, kept)
    .addColumn('busy', text, kept)
    .addPrimaryKeyConstraint('calendar_spans_key', [
      'workspace_id',
      'holder',
      'span_class',
      'starts_at',
      'event_id',
    ])
    .execute();
  await tx.schema.createIndex('calendar_spans_by_event').on('calendar_spans').columns(['event_id']).execute();
  await clusteredTable('calendar_versions')
    .addColumn('workspace_id', text, kept)
    .addColumn('holder', text, kept)
    .addColumn('version', text, kept)
    .addPrimaryKeyConstraint('calendar_versions_key', ['workspace_id', 'holder'])
    .execute();
}

async function makeFirstCalendars(tx: SchemaTransaction): Promise<void> {
  const users = await tx.selectFrom('users').select(['workspace_id', 'id', 'time_zone']).execute();
  const now = Date.now();
  for (const { workspace_id, id, time_zone } of users) {
    await tx
      .insertInto('calendars')
      .values({
        workspace_id,
        user_id: id,
        id: newId('cal'),
        name: 'Calendar',
        color: '#3366cc',
        time_zone,
        created_at: now,
        updated_at: now,
      })
      .execute();
  }
}
