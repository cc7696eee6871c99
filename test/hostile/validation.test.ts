/** Bodies and queries that were made to get past the checks of a request, or to make them take long. */
import type { Doors, HostileInput } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));

const post = (name: string, path: (doors: Doors) => string, body: () => object | string): HostileInput => ({
  name,
  send: async (doors) => {
    const { status } = await doors.request('POST', path(doors), {
      body: body(),
      mediaType: 'application/json',
    });
    if (status < 400) throw new Error(`${name} was taken with ${status}`);
  },
});

const flags = ({ inboxId }: Doors) => `/v1/folders/${inboxId}/messages/flags`;
const append = ({ spreadsheetId }: Doors) => `/v1/spreadsheets/${spreadsheetId}/values/append`;

const INPUTS: readonly HostileInput[] = [
  ...[999, 1_000, 1_001, 9_999, 60_000].map((count) =>
    post(
      `a contact with ${count} unknown members`,
      () => '/v1/contacts',
      () => ({ name: 5, ...members(count) }),
    ),
  ),
  post(
    'unknown members in each of a thousand ranges',
    ({ spreadsheetId }) => `/v1/spreadsheets/${spreadsheetId}/values/batch`,
    () => ({ data: Array(1_000).fill({ range: 'A1', values: [[1]], ...members(9) }) }),
  ),
  post(
    '5,000 unknown members in an operation of a structure change',
    ({ spreadsheetId }) => `/v1/spreadsheets/${spreadsheetId}/structure`,
    () => ({ operations: [{ type: 'drop_table', ...members(5_000) }] }),
  ),
  post('250,000 wrong ids', flags, () => ({ op: 'add', message_ids: Array(250_000).fill('x') })),
  post('250,000 ids that are no text', flags, () => ({ op: 'add', message_ids: Array(250_000).fill(0) })),
  post(
    '250,000 equal permissions',
    () => '/v1/api-keys',
    () => ({ name: 'k', permissions: Array(250_000).fill('x') }),
  ),
  post('250,000 cells that are null', append, () => ({ values: [Array(250_000).fill(null)] })),
  post('250,000 empty rows and one wrong cell', append, () => ({
    values: [...Array(250_000).fill([]), [null]],
  })),
  post('half a million brackets', append, () => `{"values":[${'[],'.repeat(250_000)}[]]}`),
  post('a million opening brackets', append, () => '['.repeat(1_000_000)),
  post('a text of a million backslashes', append, () => `{"values":[["${'\\'.repeat(1_000_000)}"]]}`),
  post('members with a million of digits', append, () => `{"values":[[${'9'.repeat(1_000_000)}]]}`),
  post(
    'a name of a million characters',
    () => '/v1/groups',
    () => ({ name: 'e\u0301'.repeat(400_000), member_ids: [] }),
  ),
  post(
    'a thousand texts that cannot be kept below a name of 300,000 characters',
    () => '/v1/groups',
    () => ({ ['~'.repeat(300_000)]: Array(1_000).fill('\0') }),
  ),
  post(
    'infinite numbers below long names in metadata',
    () => '/v1/documents',
    () => `{"type":"document","title":"A","metadata":{"${'m'.repeat(8_000)}":[${'1e999,'.repeat(1_600)}1]}}`,
  ),
  post(
    'half of surrogate pairs in 100,000 places',
    append,
    () => `{"values":[[${'"\\ud800",'.repeat(100_000)}""]]}`,
  ),
  {
    name: 'two thousand unknown parameters',
    send: async ({ request }) => {
      const query = Array.from({ length: 2_000 }, (_, i) => `k${i}=`).join('&');
      const { status } = await request('GET', `/v1/contacts?limit=-1&${query}`);
      if (status !== 400) throw new Error(`answered ${status}`);
    },
  },
];

testTurns('validation', INPUTS);
