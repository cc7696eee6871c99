import type { DefinedName } from '../calculation.ts';
import { compileFormula } from '../compile/compile.ts';
import type { NamedCode, Surroundings } from '../compile/compiler.ts';
import type { SheetFinder } from '../compile/references.ts';

/** Finds sheets by name, in any case. */
function sheetFinder(names: readonly string[]): SheetFinder {
  const places = new Map(names.map((name, at) => [name.toUpperCase(), at]));
  return (name) => places.get(name.toUpperCase());
}

/** The defined names of a workbook, compiled when a formula first uses them. */
export class Names implements Surroundings {
  readonly findSheet: SheetFinder;
  /** A name means different things on different sheets. */
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

  /** A name that names itself, as a LAMBDA may, is found while it is compiled. */
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
