import { ERRORS } from './errors.ts';

/** The properties of a server that the introduction names. */
interface Introduced {
  origin: string;
  idempotencyTtlMs: number;
}

/**
 * The text that a reader of the reference needs first, as Markdown, with the errors of all operations in their own
 * section.
 */
export function introduction(server: Introduced): string {
  return [
    'Mail, contacts, files, documents, spreadsheets, calendars, people and keys of a workspace behind one HTTP API.',
    firstRequest(server.origin),
    idempotency(server),
    REST,
    errorSection(),
  ].join('\n\n');
}

function firstRequest(origin: string): string {
  return `# First request

Every request carries an API key. That of the owner is in \`owner-key\` in the data directory of the server:

\`\`\`sh
KEY=$(cat data/owner-key)
curl -H "Authorization: Bearer $KEY" \\
  ${origin}/v1/users/me
\`\`\`

The answer is \`{"data": …, "meta": {"request_id", "timestamp"}}\`. Each operation names the permission that its key needs.

A page in a browser gets Bearers of ten minutes from a session: \`POST /console/session\` takes \`{"code"}\` or
\`{"key"}\` and sets a cookie, \`POST /console/session/token\` gives the token, \`DELETE /console/session\` ends both, and
\`POST /console/tickets\` takes \`{"path"}\` and gives the \`url\` of one download. The cookie is good for nothing else.`;
}

function idempotency({ origin, idempotencyTtlMs }: Introduced): string {
  return `# Idempotency

Every write carries an \`Idempotency-Key\` that you choose, new for each write and the same for its retries:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" \\
  -H 'Idempotency-Key: my-first-folder' \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Receipts"}' \\
  ${origin}/v1/folders
\`\`\`

A repeat gets the first answer, byte for byte, with \`Idempotency-Replayed: true\`, and changes nothing. The answer is kept
for ${durationOf(idempotencyTtlMs)}; after that the same key writes again. With another request a key is refused.`;
}

const REST = `# Paging

A list that is paged takes \`limit\` and \`cursor\`. Send \`pagination.next_cursor\` as \`cursor\` until \`has_more\` is false, also
after a page that is short or empty. A cursor belongs to its list, filters and user, and expires. There are no total counts.

# Dates

A time is RFC 3339 with an offset, as \`2026-11-30T09:00:00Z\`. The server writes UTC with milliseconds. The times of an event
may leave the offset out: then they go by the clock of \`time_zone\`. A whole day is a date, as \`2026-11-30\`.

# Ids

An id is a string with a prefix that names its kind, as \`msg_01k0qv5m8qe3rsgm9y3f2c7d4x\`. The id of the root of folders is
\`""\`. An unknown id, a malformed one and one that you may not see are answered alike, with 404 \`not_found\`.

# Limits

A JSON body has at most 10 MB and 300,000 values, a batch 1 to 1,000 entries. Where the server bounds requests, each answer
says in \`RateLimit-Remaining\` how many are left, and a 429 in \`Retry-After\` when to go on.

# Client

For Node and browsers there is \`@atrium/client\`, made from this document: typed, with retries that do nothing twice, lists
as iterators, and uploads that go on where they stopped.`;

/**
 * Lists every error: some, such as method_not_allowed, occur before an operation is known, so no operation explains
 * them.
 */
function errorSection(): string {
  const entries = Object.entries(ERRORS).map(
    ([code, { status, when }]) => `- ${status} \`${code}\`: ${when}`,
  );
  return [
    '# Errors',
    'Every refusal is `{"error": {"code", "message", "details"}, "meta": …}`. Branch on `code`; `message` is for people.',
    entries.join('\n'),
  ].join('\n\n');
}

const UNITS: readonly [ms: number, one: string, many: string][] = [
  [86_400_000, 'a day', 'days'],
  [3_600_000, 'an hour', 'hours'],
  [60_000, 'a minute', 'minutes'],
  [1_000, 'a second', 'seconds'],
];

/** Formats a duration in the largest unit that divides it, such as "a day" or "90 minutes". */
function durationOf(ms: number): string {
  for (const [unit, one, many] of UNITS) {
    if (ms === unit) return one;
    if (ms % unit === 0) return `${ms / unit} ${many}`;
  }
  return `${ms} milliseconds`;
}
