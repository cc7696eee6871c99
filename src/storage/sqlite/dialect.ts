import { type LimitNode, SqliteAdapter, SqliteQueryCompiler } from 'kysely';
import type { SqlDialect } from '../transaction.ts';

/** SQLite plans a statement anew for each value that it is given as the bare limit; as `0 + ?` it keeps its plan. */
class PlanKeepingCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit 0 + ');
    this.visitNode(node.limit);
  }
}

export const sqliteDialect: SqlDialect = {
  engine: 'sqlite',
  compiler: new PlanKeepingCompiler(),
  adapter: new SqliteAdapter(),
};
