import type { CellInput, DefinedName, ShownValue } from '../../src/formulas/calculation.ts';
import { columnOf } from '../../src/formulas/syntax/template.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';

/** Inputs by the addresses of their cells. */
export type Inputs = Readonly<Record<string, CellInput['input']>>;

/** A fixed moment, so that what depends on it does not change between two calculations. */
export const NOW_MS = Date.UTC(2026, 0, 15, 12);

export function cellOf(address: string): { row: number; column: number } {
  const [, letters = '', digits = ''] = /^([A-Z]+)(\d+)$/.exec(address) ?? [];
  return { row: Number(digits) - 1, column: columnOf(letters) };
}

export function cellsOf(inputs: Inputs): CellInput[] {
  return Object.entries(inputs).map(([address, input]) => ({ ...cellOf(address), input }));
}

/** A workbook of one sheet, or of those that are named, with inputs on the first. */
export function workbookOf(
  inputs: Inputs,
  names: readonly DefinedName[] = [],
  sheets = ['Sheet1', 'Other'],
): Workbook {
  const workbook = new Workbook(
    sheets.map((name) => ({ name })),
    names,
  );
  workbook.change({ sheet: 0, cells: cellsOf(inputs) });
  return workbook;
}

/** What cells show. */
export function shown(workbook: Workbook, addresses: readonly string[], sheet = 0): ShownValue[] {
  workbook.calculate(10_000, NOW_MS);
  return addresses.map((address) => {
    const { row, column } = cellOf(address);
    const [line = []] = [...workbook.rows({ sheet, top: row, left: column, bottom: row, right: column })];
    return line[0] ?? '';
  });
}

/** What one formula shows, beside inputs. */
export function show(formula: string, inputs: Inputs = {}, names: readonly DefinedName[] = []): ShownValue {
  return shown(workbookOf({ ...inputs, Z99: formula }, names), ['Z99'])[0] ?? '';
}
