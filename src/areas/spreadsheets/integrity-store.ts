import type { Engine } from '../../storage/database.ts';
import {
  COUNT,
  type ColumnRule,
  columnsHold,
  elementsOf,
  type IntegrityRule,
  TIME,
} from '../../storage/schema/integrity-rule.ts';

/** One row for each sheet of every spreadsheet. `cast`: SQLite uses an index on a text column only for values of type text. */
function sheets(engine: Engine): string {
  return `(
    select s.workspace_id, cast(e.value ->> 'id' as text) as sheet, cast(e.value ->> 'formulas' as integer) as formulas
    from spreadsheets as s cross join ${elementsOf(engine, 's.sheets')} as e)`;
}

/** Lines that are inserted before all others have stored positions below 0. */
const POSITION: ColumnRule = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };

/** Invariants of the tables of spreadsheets. */
export const SPREADSHEETS_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each spreadsheet of a drive has its sheets',
    broken: () => `
      select n.id from nodes as n
      left join spreadsheets as s on s.workspace_id = n.workspace_id and s.node_id = n.id
      where n.kind = 'spreadsheet' and s.node_id is null`,
  },
  {
    says: 'Each spreadsheet is one of a drive',
    broken: () => `
      select s.node_id as id from spreadsheets as s
      left join nodes as n on n.workspace_id = s.workspace_id and n.id = s.node_id and n.kind = 'spreadsheet'
      where n.id is null`,
  },
  {
    says: 'Each sheet has as many formulas as its cells',
    broken: (engine) => `
      select s.sheet as id from ${sheets(engine)} as s
      left join (select workspace_id, sheet, sum(formulas) as formulas from spreadsheet_blocks group by workspace_id, sheet) as b
        on b.workspace_id = s.workspace_id and b.sheet = s.sheet
      where coalesce(b.formulas, 0) <> s.formulas`,
  },
  ...[
    'spreadsheet_blocks',
    'spreadsheet_columns',
    'spreadsheet_formats',
    'spreadsheet_hidden_rows',
    'spreadsheet_looks',
    'spreadsheet_row_keys',
  ].map((table) => ({
    says: `Each row of ${table} is of a sheet, or of one that is to be removed`,
    broken: (engine: Engine) => `
      select t.sheet as id from ${table} as t
      left join ${sheets(engine)} as s on s.workspace_id = t.workspace_id and s.sheet = t.sheet
      left join spreadsheet_remains as r on r.workspace_id = t.workspace_id and r.sheet = t.sheet
      where s.sheet is null and r.sheet is null`,
  })),
  ...['spreadsheet_names', 'spreadsheet_import_notes'].map((table) => ({
    says: `Each row of ${table} is of a spreadsheet`,
    broken: () => `
      select t.node_id as id from ${table} as t
      left join spreadsheets as s on s.workspace_id = t.workspace_id and s.node_id = t.node_id
      where s.node_id is null`,
  })),
  columnsHold('spreadsheets', { version: COUNT, followed_since: COUNT }, 'node_id'),
  columnsHold(
    'spreadsheet_blocks',
    { row_block: POSITION, column_block: POSITION, formulas: COUNT },
    'sheet',
  ),
  columnsHold('spreadsheet_formats', { row_block: POSITION, column_block: POSITION }, 'sheet'),
  columnsHold('spreadsheet_columns', { place: POSITION, cells: COUNT, reach: COUNT }, 'sheet'),
  columnsHold('spreadsheet_row_keys', { place: POSITION }, 'row_key'),
  columnsHold('spreadsheet_changes', { version: COUNT }, 'node_id'),
  columnsHold('spreadsheet_remains', { sweep_at: TIME }, 'sheet'),
];
