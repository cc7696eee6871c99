/** Writes and questions about spreadsheets that were made to cost more than their size. */
import { type Doors, type HostileInput, idOf } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

/** A new spreadsheet for one input, so that none leans on what another left. */
async function withSheet({ request }: Doors, use: (path: string) => Promise<unknown>): Promise<void> {
  const body = { type: 'spreadsheet', title: 'Hostile' };
  await use(`/v1/spreadsheets/${idOf(await request('POST', '/v1/documents', { body }))}`);
}

/** Cells that are written, read in both ways, and given out. */
const written = (name: string, values: () => unknown[][]): HostileInput => ({
  name: `cells of ${name}`,
  send: (doors) =>
    withSheet(doors, async (path) => {
      const { request } = doors;
      await request('PUT', `${path}/values/A1`, { body: { values: values() } });
      await request('GET', `${path}/values/A1:B5?render=value`);
      await request('GET', `${path}/values/A1:B5?render=formula`);
      await request('GET', path);
    }),
});

const column = (count: number, cell: (i: number) => unknown) =>
  Array.from({ length: count }, (_, i) => [cell(i)]);

const SMALL_FORMULAS = () => column(3_000, (i) => `=SUM(A${i + 5}:C${i + 900})`);

const changed = (name: string, operations: () => object[], formulas = SMALL_FORMULAS): HostileInput => ({
  name,
  send: (doors) =>
    withSheet(doors, async (path) => {
      const { request } = doors;
      const put = await request('PUT', `${path}/values/A1`, { body: { values: formulas() } });
      const state = String((put.json?.data as { state?: string } | undefined)?.state);
      const body = { operations: operations() };
      const { status } = await request('POST', `${path}/structure`, { body, headers: { 'if-match': state } });
      if (status !== 200) throw new Error(`the change was answered ${status}`);
    }),
});

const INSERTIONS = () =>
  Array.from({ length: 100 }, () => ({ type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 1 }));

/** Units of formulas in which a reader that looks for an end from each place finds none. */
const SEARCHED_FROM_EACH_PLACE = ['1.', "['", "''a"];
/** As long as formulas may be. */
const MAX_FORMULA = 8_192;

/** Formulas of a unit that is repeated, each another one, as many as one write takes. */
const endless = (unit: string, length: number) =>
  column(Math.floor(950_000 / length), (i) => `=${1_000 + i}+${unit.repeat(length)}`.slice(0, length));

const exported = (name: string, values: () => unknown[][]): HostileInput => ({
  name: `an export of ${name}`,
  send: (doors) =>
    withSheet(doors, async (path) => {
      await doors.request('PUT', `${path}/values/A1`, { body: { values: values() } });
      const { status } = await doors.request('GET', `${path}/export?format=xlsx`);
      if (status !== 200 && status !== 409) throw new Error(`the export was answered ${status}`);
    }),
});

const RENAMINGS = () =>
  Array.from({ length: 100 }, (_, i) => ({
    type: 'rename_sheet',
    sheet: i === 0 ? 'Sheet1' : `S${i - 1}`,
    name: `S${i}`,
  }));

/** Cells beside each other, which are stored together, until they take no more of the largest texts; then small ones. */
const filled = (name: string, character: string, count: number): HostileInput[] => [
  {
    name: `cells beside each other full of ${name}`,
    send: (doors) =>
      withSheet(doors, async (path) => {
        const { request } = doors;
        const put = (cell: number, values: unknown[][]) =>
          request('PUT', `${path}/values/${'ABCDEFGH'.charAt(cell % 8)}${1 + (cell >> 3)}`, {
            body: { values },
          });
        const row = Array.from({ length: count }, () => character.repeat(50_000));
        let answer = await put(0, [row]);
        for (let cell = 4; answer.status === 200 && cell < 256; cell += 4) answer = await put(cell, [row]);
        if (answer.status !== 400) throw new Error(`the last write was answered ${answer.status}`);
        await put(252, [['small'], ['=LEN(A1)']]);
        await request('GET', `${path}/values/A1`);
        await request('GET', `${path}/values/E33?render=value`);
      }),
  },
];

/** One formula that spills much text, read and given out by several at once. */
const spilled = (name: string, formula: string, readers = 1): HostileInput => ({
  name: `a formula that spills ${name}`,
  send: (doors) =>
    withSheet(doors, async (path) => {
      const { request } = doors;
      await request('PUT', `${path}/values/A1`, { body: { values: [[formula]] } });
      const read = () => request('GET', `${path}/values/A1:XFD1048576`);
      await Promise.all(Array.from({ length: readers }, read));
    }),
});

/** What a formula spills, as a file. */
const spilledOut = (name: string, formula: string, format: string): HostileInput => ({
  name: `a formula that spills ${name}, as .${format}`,
  send: (doors) =>
    withSheet(doors, async (path) => {
      await doors.request('PUT', `${path}/values/A1`, { body: { values: [[formula]] } });
      const { status } = await doors.request('GET', `${path}/export?format=${format}`);
      if (status !== 200) throw new Error(`the export was answered ${status}`);
    }),
});

/** The letter of which case folding makes the most: eighteen. */
const LONG_WHEN_FOLDED = '\ufdfa'.repeat(29);
const longName = (i: number) => i.toString(36).padStart(2, '0') + LONG_WHEN_FOLDED;

/** As many sheets as there may be, with names that are long when they are compared. */
const namedSheets: HostileInput = {
  name: 'five hundred sheets, whose names are long when they are compared',
  send: (doors) =>
    withSheet(doors, async (path) => {
      const { request } = doors;
      const restructure = async (operations: object[]) => {
        const { json } = await request('GET', path);
        const state = String((json?.data as { state?: string } | undefined)?.state);
        const { status } = await request('POST', `${path}/structure`, {
          body: { operations },
          headers: { 'if-match': state },
        });
        if (status !== 200) throw new Error(`the change was answered ${status}`);
      };
      for (let i = 0; i < 490; i += 98) {
        const names = Array.from({ length: 98 }, (_, k) => longName(i + k));
        await restructure(names.map((sheet) => ({ type: 'add_sheet', sheet })));
      }
      const range = `'${longName(489)}'!A1`;
      const data = Array.from({ length: 1_000 }, (_, i) => ({ range, values: [[i]] }));
      const { status } = await request('POST', `${path}/values/batch`, { body: { data } });
      if (status !== 200) throw new Error(`the ranges were answered ${status}`);
      const [one, other] = [longName(489), longName(500)];
      await restructure(
        Array.from({ length: 100 }, (_, i) => ({
          type: 'rename_sheet',
          sheet: i % 2 ? other : one,
          name: i % 2 ? one : other,
        })),
      );
    }),
};

const INPUTS: readonly HostileInput[] = [
  namedSheets,
  written('brackets', () => column(50, () => `=${'('.repeat(4_000)}1${')'.repeat(4_000)}`)),
  written('opening brackets', () => column(50, () => `=${'('.repeat(8_000)}`)),
  written('signs', () => column(50, () => `=${'-'.repeat(8_000)}1`)),
  written('percent signs', () => column(50, () => `=1${'%'.repeat(8_000)}`)),
  written('commas', () => column(50, () => `=SUM(${','.repeat(8_000)})`)),
  written('nested functions', () => column(50, () => `=${'IF(1,'.repeat(1_600)}1${')'.repeat(1_600)}`)),
  written('texts of quotes', () => column(50, () => `="${'""'.repeat(4_000)}`)),
  written('names of sheets that never end', () => column(50, () => `='${"''".repeat(4_000)}`)),
  written('lambdas', () => column(50, () => `=${'LAMBDA(x,'.repeat(800)}x${')(1)'.repeat(800)}`)),
  written('array literals', () => column(50, () => `={${'1,'.repeat(4_000)}1}`)),
  written('many small formulas', () => column(50_000, (i) => `=A${i + 2}`)),
  written('formulas of two cells each', () => column(90_000, (i) => `=A${i + 5}+A${i + 6}`)),
  written('each summing all of the others', () => column(5_000, (i) => `=SUM(B1:B${i + 1})`)),
  written('long texts', () => column(30, () => 'x'.repeat(32_000))),
  written('texts that are nearly numbers', () => column(20_000, () => `1${'e'.repeat(40)}`)),
  written('huge numbers', () => column(2_000, () => Number('9'.repeat(300)))),
  written('texts to make dates of', () => column(400, () => `=DATEVALUE("${'1/'.repeat(800)}")`)),
  written('number formats', () => column(200, () => `=TEXT(1,"${'#,'.repeat(2_000)}")`)),
  written('texts put into texts', () => column(20, () => `=SUBSTITUTE(REPT("a",32767),"a",REPT("b",32767))`)),
  written('patterns with stars', () =>
    column(50, () => `=COUNTIF(C1:C9,"${'*a'.repeat(120)}")+SEARCH("${'*a'.repeat(120)}b",REPT("a",32767))`),
  ),
  written('regular expressions', () =>
    column(50, () => `=REGEXTEST(REPT("a",32767),"(a*)*(a|a)*b{1,500}$")`),
  ),
  written('powers and factorials', () => column(400, () => '=FACT(170)^FACT(170)+COMBIN(1E15,5E14)')),
  written('series of dates', () => column(100, () => '=NETWORKDAYS(1,2958465)+WORKDAY(1,2000000)')),
  written('bonds', () =>
    column(100, () => '=PRICE(1,2958465,0.01,0.02,100,4)+YIELD(1,2958465,0.01,90,100,4)'),
  ),
  changed('a hundred insertions of rows', () =>
    Array.from({ length: 100 }, () => ({ type: 'insert_rows', sheet: 'Sheet1', start: 2, count: 5_000 })),
  ),
  changed('a hundred renamings of a sheet', RENAMINGS),
  changed('a hundred insertions above long formulas', INSERTIONS, () =>
    column(80, () => `=A2${'+A2'.repeat(2_700)}`),
  ),
  changed('a hundred insertions above long formulas that name many cells', INSERTIONS, () =>
    column(40, (i) => `=${Array.from({ length: 1_000 }, (_, j) => `A${i * 1_000 + j + 1_000}`).join('+')}`),
  ),
  changed('a hundred renamings of a sheet that long formulas name', RENAMINGS, () =>
    column(40, () => `='Sheet1'!A1${"+'Sheet1'!A1".repeat(650)}`),
  ),
  ...[MAX_FORMULA, 50_000].flatMap((length) =>
    SEARCHED_FROM_EACH_PLACE.map((unit) =>
      changed(
        `an insertion above formulas of ${length} characters ${unit}`,
        () => INSERTIONS().slice(99),
        () => endless(unit, length),
      ),
    ),
  ),
  ...SEARCHED_FROM_EACH_PLACE.map((unit) =>
    exported(`formulas of the characters ${unit}`, () => endless(unit, MAX_FORMULA)),
  ),
  exported('a row of long formulas', () => [
    Array.from({ length: 120 }, (_, i) => `=SUM(${'A1:B2:'.repeat(1_300)}A${i + 1})`),
  ]),
  {
    name: 'a thousand ranges written at once',
    send: (doors) =>
      withSheet(doors, async (path) => {
        const data = Array.from({ length: 1_000 }, (_, i) => ({
          range: `XFD${(i + 1) * 1_000}`,
          values: [['=SUM(1:1048576)']],
        }));
        await doors.request('POST', `${path}/values/batch`, { body: { data } });
        await doors.request('GET', `${path}/values/XFD1000?render=value`);
      }),
  },
  ...filled('texts of characters that take six bytes', '\u0001', 3),
  ...filled('texts of characters that take four bytes', '😀', 4),
  ...filled('texts of characters that take three bytes', '日', 4),
  ...filled('texts of characters that take one byte', 'x', 4),
  {
    name: 'many cells that change while a formula is held',
    send: (doors) =>
      withSheet(doors, async (path) => {
        const { request } = doors;
        await request('PUT', `${path}/values/A1`, { body: { values: [['=1+1']] } });
        await request('GET', `${path}/values/A1?render=value`);
        // A column of every block: its other cells are sent to the calculation too.
        for (const letters of ['I', 'Q', 'Y', 'AG', 'AO']) {
          const { status } = await request('PUT', `${path}/values/${letters}1`, {
            body: { values: column(100_000, () => 1) },
          });
          if (status !== 200) throw new Error(`the write was answered ${status}`);
        }
        await request('GET', `${path}/values/A1?render=value`);
      }),
  },
  {
    name: 'all cells that there are',
    send: (doors) =>
      withSheet(doors, async (path) => {
        for (const range of ['A1:XFD1048576', 'A:XFD', '1:1048576', `A1:${'A'.repeat(4_000)}`]) {
          await doors.request('GET', `${path}/values/${range}`);
        }
      }),
  },
  spilled('a billion characters', '=IF(SEQUENCE(290,100),REPT("x",32767))', 8),
  spilled('sixty million characters', '=IF(SEQUENCE(1000,60),REPT("x",1000))', 4),
  spilled('sixty million characters in one row', '=IF(SEQUENCE(1,1900),REPT("x",32767))'),
  spilled('characters that take six bytes', '=IF(SEQUENCE(1000,10),REPT(CHAR(1),1000))'),
  spilled('a million numbers', '=SEQUENCE(1024,1000)/7'),
  spilledOut('a row of long texts', '=IF(SEQUENCE(1,3000),REPT("x",32767))', 'csv'),
  spilledOut('many rows of long texts', '=IF(SEQUENCE(300,10),REPT("""",32767))', 'csv'),
  spilledOut('a row of long texts', '=IF(SEQUENCE(1,3000),REPT("x",32767))', 'xlsx'),
  {
    name: 'sixty million characters that were written, read at once',
    send: (doors) =>
      withSheet(doors, async (path) => {
        const { request } = doors;
        const values = column(20, () => 'x'.repeat(48_000));
        for (let i = 0; i < 60; i++)
          await request('PUT', `${path}/values/A${i * 20 + 1}`, { body: { values } });
        await request('GET', `${path}/values/A1:Z3000`);
        await request('GET', `${path}/values/A1:Z3000?render=formula`);
      }),
  },
];

testTurns('spreadsheets', INPUTS);
