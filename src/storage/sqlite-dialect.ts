import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { sqlDialect } from './transaction.ts';

export const sqliteDialect = sqlDialect(
  'sqlite',
  new SqliteQueryCompiler(),
  new SqliteAdapter(),
  (db) => new SqliteIntrospector(db),
);
