import type { CellInput, DefinedName, SheetCells } from '../calculation.ts';
import { type Column, KIND, NONE, SPILLED } from '../cells/column.ts';
import { compileFormula, type Program } from '../compile/compile.ts';
import type { NamedCode, Surroundings } from '../compile/compiler.ts';
import type { SheetFinder } from '../compile/references.ts';
import { Dependents } from '../graph/dependents.ts';
import { templateOf } from '../syntax/template.ts';
import { textOfInput } from '../text-formula.ts';
import type { Area } from '../values.ts';
import type { Book } from './book.ts';
import { STATE } from './formulas.ts';
import type { Staleness } from './staleness.ts';

/** Finds sheets by name, case-insensitive. */
function sheetFinder(names: readonly string[]): SheetFinder {
  const indexes = new Map(names.map((name, at) => [name.toUpperCase(), at]));
  return (name) => indexes.get(name.toUpperCase());
}

/** The defined names of a workbook, compiled at their first use. */
export class Names implements Surroundings {
  readonly findSheet: SheetFinder;
  /** Whether some names have the scope of a sheet, so that a name can differ between sheets. */
  readonly bySheet: boolean;
  readonly #names: ReadonlyMap<string, DefinedName>;
  readonly #compiled = new Map<string, NamedCode>();

  constructor(sheetNames: readonly string[], names: readonly DefinedName[]) {
    this.findSheet = sheetFinder(sheetNames);
    this.bySheet = names.some(({ sheet }) => sheet !== undefined);
    this.#names = new Map(names.map((one) => [keyOf(one.name, one.sheet), one]));
  }

  findName(name: string, sheet: number): NamedCode | undefined {
    const keys = [keyOf(name, sheet), keyOf(name, undefined)];
    const key = keys.find((one) => this.#names.has(one));
    const defined = key === undefined ? undefined : this.#names.get(key);
    if (key === undefined || defined === undefined) return undefined;
    const compiled = this.#compiled.get(key) ?? this.#compile(key, defined);
    return compiled;
  }

  /** Registers a placeholder first, so that a name can refer to itself, as a recursive LAMBDA does. */
  #compile(key: string, { formula, sheet = 0 }: DefinedName): NamedCode {
    const itself: NamedCode = {
      code: (scope) => this.#compiled.get(key)?.code(scope) ?? null,
      references: [],
      volatile: false,
    };
    this.#compiled.set(key, itself);
    const program = compileFormula(formula, { sheet, row: 0, column: 0 }, this);
    this.#compiled.set(key, program);
    return program;
  }
}

function keyOf(name: string, sheet: number | undefined): string {
  return `${sheet ?? ''}!${name.toUpperCase()}`;
}

/** Dependents are rebuilt when dead formulas outnumber live ones and exceed this count. */
const MANY_DEAD = 1_000;

/** Applies inputs to cells and marks their dependents as stale. */
export class CellEditor {
  readonly #book: Book;
  readonly #names: Names;
  readonly #staleness: Staleness;
  /** Formulas added by the current change. */
  readonly #fresh: number[] = [];

  constructor(book: Book, names: Names, staleness: Staleness) {
    this.#book = book;
    this.#names = names;
    this.#staleness = staleness;
  }

  /** Applies inputs; of several for one cell the last counts. */
  apply({ sheet, cells }: SheetCells): void {
    for (const [column, inputs] of byColumn(cells)) this.#applyColumn(sheet, column, inputs);
    this.#linkFresh();
    for (const { row, column } of cells) this.#staleness.cellChanged(sheet, row, column);
    const { formulas } = this.#book;
    if (formulas.dead > MANY_DEAD && formulas.dead > formulas.live) this.#relink();
  }

  #applyColumn(sheet: number, column: number, inputs: readonly CellInput[]): void {
    const cells = this.#book.sheet(sheet).ensure(column);
    cells.insert(inputs.filter(({ input }) => input !== null).map(({ row }) => row));
    for (const { row, column, input } of inputs) {
      const slot = cells.find(row);
      if (slot === NONE || !this.#vacate(cells, slot, input)) continue;
      // A formula that only quotes a text needs no compiling, and may be longer than one that is compiled.
      const constant = typeof input === 'string' ? textOfInput(input) : input;
      if (constant !== undefined) cells.put(slot, constant);
      else cells.formulas[slot] = this.#addFormula(input as string, sheet, row, column);
    }
  }

  /** Empties a cell before a new input; false when nothing changes, such as when emptying a spilled cell. */
  #vacate(cells: Column, slot: number, input: CellInput['input']): boolean {
    const formula = cells.formulas[slot] as number;
    const spilled = ((cells.kinds[slot] as number) & SPILLED) !== 0;
    if (spilled && input === null) return false;
    if (spilled) this.#staleness.formulaChanged(formula);
    else if (formula !== NONE) this.#removeFormula(formula);
    cells.put(slot, null);
    cells.kinds[slot] = KIND.empty;
    cells.formulas[slot] = NONE;
    return true;
  }

  #removeFormula(formula: number): void {
    const area = this.#staleness.unspill(formula);
    this.#staleness.settle(formula, STATE.dead);
    this.#book.volatiles.delete(formula);
    this.#book.dynamicAreas.delete(formula);
    if (area !== undefined) this.#staleness.areaChanged(area);
  }

  #addFormula(input: string, sheet: number, row: number, column: number): number {
    const program = this.#programOf(input, sheet, row, column);
    const formula = this.#book.formulas.add(program, sheet, row, column);
    if (program.volatile) this.#book.volatiles.add(formula);
    this.#fresh.push(formula);
    return formula;
  }

  #programOf(input: string, sheet: number, row: number, column: number): Program {
    const scope = this.#names.bySheet ? `${sheet}!` : '';
    const key = scope + templateOf(input, row, column);
    const known = this.#book.formulas.find(key);
    return (
      known ?? this.#book.formulas.addProgram(key, compileFormula(input, { sheet, row, column }, this.#names))
    );
  }

  #linkFresh(): void {
    const fresh = this.#fresh.splice(0);
    this.#staleness.dependents.add(
      fresh.map((formula) => ({ formula, areas: this.#book.namedAreas(formula) })),
    );
    for (const formula of fresh) this.#staleness.formulaChanged(formula);
  }

  /** Rebuilds the dependents without dead formulas. */
  #relink(): void {
    const book = this.#book;
    for (const sheet of book.sheets) {
      for (const [, cells] of sheet.columns(0, Number.POSITIVE_INFINITY)) cells.clearListeners();
    }
    const dependents = new Dependents(book.sheets);
    const named: { formula: number; areas: readonly Area[] }[] = [];
    book.formulas.each((formula) => {
      named.push({
        formula,
        areas: [...book.namedAreas(formula), ...(book.dynamicAreas.get(formula) ?? [])],
      });
    });
    dependents.add(named);
    this.#staleness.restart(dependents);
    book.formulas.reuseNumbers();
  }
}

function byColumn(cells: readonly CellInput[]): Map<number, CellInput[]> {
  const columns = new Map<number, CellInput[]>();
  for (const cell of cells) {
    const column = columns.get(cell.column);
    if (column === undefined) columns.set(cell.column, [cell]);
    else column.push(cell);
  }
  for (const column of columns.values()) column.sort((a, b) => a.row - b.row);
  return columns;
}
