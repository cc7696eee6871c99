import { foldCase } from '../comparison.ts';
import { CellError } from '../values.ts';
import type { Column } from './column.ts';

/** What may be looked for by an index: neither errors nor what is empty. */
export type IndexedValue = number | string | boolean;

const NONE = new Int32Array(0);

/** Where the values of a column stand, as it was when the index was made; texts without regard to case. */
export class ColumnIndex {
  readonly #groups = new Map<IndexedValue, number>();
  /** Slots, those of one group together and ascending. */
  readonly #slots: Int32Array;
  /** Where each group begins among them, and the last ends. */
  readonly #starts: Int32Array;

  constructor(cells: Column, look: () => void) {
    const groupOf = this.#groupsOf(cells, look);
    this.#starts = startsOf(groupOf, this.#groups.size);
    this.#slots = new Int32Array(this.#starts.at(-1) ?? 0);
    const next = this.#starts.slice();
    for (const [slot, group] of groupOf.entries()) {
      if (group >= 0) this.#slots[(next[group] as number)++] = slot;
    }
  }

  /** The slots that hold a value, ascending. */
  slotsOf(value: IndexedValue): Int32Array {
    const group = this.#groups.get(keyOf(value));
    return group === undefined ? NONE : this.#slots.subarray(this.#starts[group], this.#starts[group + 1]);
  }

  #groupsOf(cells: Column, look: () => void): Int32Array {
    const groupOf = new Int32Array(cells.count).fill(-1);
    for (let slot = 0; slot < cells.count; slot++) {
      look();
      const value = cells.value(slot);
      if (value === null || value instanceof CellError) continue;
      const key = keyOf(value);
      const group = this.#groups.get(key) ?? this.#groups.size;
      if (group === this.#groups.size) this.#groups.set(key, group);
      groupOf[slot] = group;
    }
    return groupOf;
  }
}

function startsOf(groupOf: Int32Array, groups: number): Int32Array {
  const starts = new Int32Array(groups + 1);
  for (const group of groupOf) if (group >= 0) starts[group + 1] = (starts[group + 1] as number) + 1;
  for (let group = 0; group < groups; group++) {
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number);
  }
  return starts;
}

function keyOf(value: IndexedValue): IndexedValue {
  return typeof value === 'string' ? foldCase(value) : value;
}
