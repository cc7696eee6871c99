import assert from 'node:assert/strict';
import type { Actor } from '../actor.ts';
import type { Area, Place, World } from '../area.ts';

type Cell = string | number;

/** Rows that a client has to itself on the first sheet. */
const ROWS = 10;
/** Where all write over each other: always whole. */
const CONTESTED = 'AA1:AC3';

/** Ranges of its own with a formula over them, a contested range, batches and appended rows, in one spreadsheet. */
export async function startSpreadsheets({ actor, person, world }: Place): Promise<Area> {
  const { random } = actor;
  const id = world.spreadsheet;
  const top = 1 + ROWS * world.people.indexOf(person);
  const block = `A${top}:C${top + 2}`;
  const pair = [`E${top}`, `Log!M${top}`];
  let numbers: Cell[][] = [];
  let paired = '';
  const put = (range: string, values: Cell[][]) =>
    ({ method: 'PUT', path: pathOf(id, range), body: { values } }) as const;
  await actor.must(put(`D${top}`, [[`=SUM(${block})`]]));

  const writeBlock = async () => {
    const values = [0, 1, 2].map(() => [0, 1, 2].map(() => 1 + random.int(1_000_000)));
    const { data } = await actor.must(put(block, values), async () => {
      const found = await valuesOf(actor, id, block);
      return values.flatMap((row, r) => row.map((cell, c) => found[r]?.[c] === cell));
    });
    numbers = values;
    assert.equal(data.range, `Sheet1!${block}`);
  };
  const contest = async () => {
    const token = random.token();
    await actor.must(put(CONTESTED, Array(3).fill([token, token, token])));
    assertWhole(await valuesOf(actor, id, CONTESTED));
  };
  const writePair = async () => {
    const token = random.token();
    const data = pair.map((range) => ({ range, values: [[token]] }));
    await actor.must({ method: 'POST', path: `/v1/spreadsheets/${id}/values/batch`, body: { data } }, () =>
      Promise.all(pair.map(async (range) => (await valuesOf(actor, id, range))[0]?.[0] === token)),
    );
    paired = token;
  };
  const append = async () => {
    const token = random.token();
    const body = { sheet: 'Log', values: [[token, token]] };
    await actor.must({ method: 'POST', path: `/v1/spreadsheets/${id}/values/append`, body }, async () => {
      const rows = await valuesOf(actor, id, 'Log!A:B');
      return [rows.some(([first]) => first === token)];
    });
    world.shared.appended.push(token);
  };

  return {
    step: () => random.pick([writeBlock, writeBlock, contest, writePair, append])(),
    prove: async () => {
      assert.deepEqual(await valuesOf(actor, id, block), numbers);
      const sum = numbers.flat().reduce<number>((total, cell) => total + Number(cell), 0);
      assert.deepEqual(await valuesOf(actor, id, `D${top}`), [[sum]]);
      for (const range of pair) assert.deepEqual(await valuesOf(actor, id, range), paired ? [[paired]] : []);
    },
  };
}

export async function proveSharedSpreadsheet(actor: Actor, { spreadsheet, shared }: World): Promise<void> {
  assertWhole(await valuesOf(actor, spreadsheet, CONTESTED));
  const rows = (await valuesOf(actor, spreadsheet, 'Log!A:B')).filter(([first]) => first);
  assert.deepEqual(rows.map(([first]) => first).sort(), [...shared.appended].sort());
  assert.ok(rows.every(([first, second]) => first === second));
}

function assertWhole(values: Cell[][]): void {
  assert.ok(new Set(values.flat()).size <= 1, `a range written by half: ${JSON.stringify(values)}`);
}

function pathOf(id: string, range: string): string {
  return `/v1/spreadsheets/${id}/values/${encodeURIComponent(range)}`;
}

async function valuesOf(actor: Actor, id: string, range: string): Promise<Cell[][]> {
  return (await actor.get(pathOf(id, range))).values;
}
