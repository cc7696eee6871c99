import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration } from '../schema.ts';

/** When users work, and how often the times of an event have changed: what those who are told of it compare. */
export const workingHours: Migration = {
  name: '0028-working-hours',
  async up({ integer, text, tx }) {
    const hours = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(sql.lit('[]'));
    const sequence = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(sql.lit(0));
    await tx.schema.alterTable('users').addColumn('working_hours', text, hours).execute();
    await tx.schema.alterTable('calendar_events').addColumn('sequence', integer, sequence).execute();
  },
};
