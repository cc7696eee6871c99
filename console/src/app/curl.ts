import type { Entry } from './outbox-entry.ts';

/** A write as a command for a shell; the key is left for the person to put in, for it would stay in the shell's history. */
export function curlOf({ call, idempotencyKey }: Pick<Entry, 'call' | 'idempotencyKey'>): string {
  const query = new URLSearchParams(
    Object.entries(call.query ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();
  const headers: Record<string, string | undefined> = {
    'idempotency-key': idempotencyKey,
    ...(call.body && { 'content-type': 'application/json' }),
    ...call.headers,
  };
  const parts = [
    `curl -X ${call.method ?? 'GET'} ${quoted(`${location.origin}${call.path}${query && `?${query}`}`)}`,
    '-H "authorization: Bearer $ATRIUM_KEY"',
    ...Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`-H ${quoted(`${name}: ${value}`)}`],
    ),
    ...(call.body ? [`-d ${quoted(JSON.stringify(call.body))}`] : []),
  ];
  return parts.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
