import type { Program } from '../compile/compile.ts';

/**
 * The state of a formula: `active` while formulas that it waits for are calculated, `dead` after its cell has
 * another input.
 */
export const STATE = { clean: 0, stale: 1, active: 2, dead: 3 } as const;

/** The formulas of a workbook by number, in flat arrays. */
export class Formulas {
  readonly #programs: Program[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #programIds = new Map<Program, number>();
  #program = new Int32Array(16);
  #sheets = new Uint16Array(16);
  #rows = new Int32Array(16);
  #columns = new Uint16Array(16);
  #states = new Uint8Array(16);
  #count = 0;
  #free: number[] = [];
  dead = 0;

  /** The program stored for a key, if any. */
  find(key: string): Program | undefined {
    return this.#programs[this.#numbers.get(key) ?? -1];
  }

  /** Stores the program for a key. */
  addProgram(key: string, program: Program): Program {
    this.#numbers.set(key, this.#programs.length);
    this.#programIds.set(program, this.#programs.length);
    this.#programs.push(program);
    return program;
  }

  add(program: Program, sheet: number, row: number, column: number): number {
    const formula = this.#free.pop() ?? this.#count++;
    if (formula === this.#states.length) this.#grow();
    this.#program[formula] = this.#programIds.get(program) ?? -1;
    this.#sheets[formula] = sheet;
    this.#rows[formula] = row;
    this.#columns[formula] = column;
    this.#states[formula] = STATE.clean;
    return formula;
  }

  program(formula: number): Program {
    return this.#programs[this.#program[formula] as number] as Program;
  }

  sheet(formula: number): number {
    return this.#sheets[formula] as number;
  }

  row(formula: number): number {
    return this.#rows[formula] as number;
  }

  column(formula: number): number {
    return this.#columns[formula] as number;
  }

  state(formula: number): number {
    return this.#states[formula] as number;
  }

  setState(formula: number, state: number): void {
    this.#states[formula] = state;
    if (state === STATE.dead) this.dead++;
  }

  get live(): number {
    return this.#count - this.#free.length - this.dead;
  }

  /** Visits all formulas except dead ones. */
  each(visit: (formula: number) => void): void {
    for (let formula = 0; formula < this.#count; formula++) {
      if (this.#states[formula] !== STATE.dead) visit(formula);
    }
  }

  /** Makes the numbers of dead formulas reusable; call it when no list contains them. */
  reuseNumbers(): void {
    this.#free = [];
    for (let formula = 0; formula < this.#count; formula++) {
      if (this.#states[formula] === STATE.dead) this.#free.push(formula);
    }
    this.dead = 0;
  }

  get bytes(): number {
    return this.#states.length * 13 + this.#programs.length * 1000;
  }

  #grow(): void {
    const size = Math.ceil(this.#states.length * 1.5);
    const [program, rows] = [new Int32Array(size), new Int32Array(size)];
    const [sheets, columns, states] = [new Uint16Array(size), new Uint16Array(size), new Uint8Array(size)];
    program.set(this.#program);
    rows.set(this.#rows);
    sheets.set(this.#sheets);
    columns.set(this.#columns);
    states.set(this.#states);
    [this.#program, this.#rows, this.#sheets, this.#columns, this.#states] = [
      program,
      rows,
      sheets,
      columns,
      states,
    ];
  }
}
