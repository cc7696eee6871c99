import type { Problem } from './operation.ts';

/** The parameters of a path and query that are not valid percent-encoded UTF-8: the parser keeps them as they stand. */
export function undecodableParameters(url: string): Problem[] {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return [];
  const parts = url.slice(start + 1).split('&');
  return (
    parts
      // A cursor that never decoded is invalid_cursor, whatever is wrong with it.
      .filter((part) => !part.startsWith('cursor=') && !isDecodable(part))
      .map((part) => ({
        parameter: part.split('=', 1)[0] ?? '',
        code: 'wrong_encoding',
        message: 'Must be valid percent-encoded UTF-8.',
      }))
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
