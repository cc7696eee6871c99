import type { CellInput, SheetPortion, SheetProperties } from './workbook.ts';

/** A portion as threads pass it on: copying three lists costs a third of copying as many objects as there are cells. */
export interface PackedPortion {
  readonly sheet: number;
  readonly rows: Uint32Array;
  readonly columns: Uint16Array;
  readonly inputs: readonly CellInput[];
  readonly properties?: SheetProperties | undefined;
}

export function packPortion({ sheet, cells, properties }: SheetPortion): PackedPortion {
  return {
    sheet,
    rows: Uint32Array.from(cells, ({ row }) => row),
    columns: Uint16Array.from(cells, ({ column }) => column),
    inputs: cells.map(({ input }) => input),
    properties,
  };
}

export function unpackPortion({ sheet, rows, columns, inputs, properties }: PackedPortion): SheetPortion {
  const cells = inputs.map((input, i) => ({ row: rows[i] ?? 0, column: columns[i] ?? 0, input }));
  return { sheet, cells, ...(properties && { properties }) };
}
