import type { Doors, HostileInput } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

/** So many cells of one formula take some seconds and are not stopped. */
const CELLS = 3;

/** Writes a formula into cells of a spreadsheet, and reads what it comes to. */
async function calculate({ request, spreadsheetId }: Doors, formula: string): Promise<void> {
  const path = `/v1/spreadsheets/${spreadsheetId}/values/A1`;
  await request('PUT', path, { body: { values: Array.from({ length: CELLS }, () => [formula]) } });
  await request('GET', `${path}?render=value`);
  await request('PUT', path, { body: { values: Array.from({ length: CELLS }, () => ['']) } });
}

/** Inputs that threads work on for long. */
const INPUTS: readonly HostileInput[] = [
  {
    name: 'a spreadsheet whose formulas take seconds each',
    send: (doors) => calculate(doors, '=SUM(MAP(SEQUENCE(3000,1000),LAMBDA(x,SUM(SEQUENCE(300,1000)*x))))'),
  },
  {
    name: 'a spreadsheet whose formulas need all memory that they may have',
    send: (doors) => calculate(doors, '=SUM(LEN(REPT("x",32767)&SEQUENCE(1000000)))'),
  },
  {
    name: 'Markdown of many paragraphs, made a page ten times at once',
    send: async ({ request, documentId }) => {
      const path = `/v1/documents/${documentId}`;
      await request('PUT', `${path}/content`, {
        body: 'a\n\n'.repeat(60_000),
        mediaType: 'text/markdown',
        headers: { 'if-match': '*' },
      });
      const page = () => request('GET', `${path}/export?format=html`);
      await Promise.all(Array.from({ length: 10 }, page));
    },
  },
  {
    name: 'uploads whose type takes long to be told, many at once',
    send: async ({ request }) => {
      const body = Buffer.alloc(65_536, '\n');
      const upload = () => request('POST', '/v1/files?filename=a.bin', { body, mediaType: 'text/plain' });
      await Promise.all(Array.from({ length: 20 }, upload));
    },
  },
];

testTurns('threads', INPUTS);
