import type { Problem } from '../../contract/operation.ts';

/** U+FFFD, which is in no id. */
const UNKNOWN = '%EF%BF%BD';

/**
 * The path and query with a path that can be decoded. "A malformed id in a path is 404 like an unknown one": also one that
 * is no percent-encoded UTF-8, in whose place stands one that nobody has.
 */
export function withDecodablePath(url: string): string {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split(/(?=\?)/);
  const segments = path.split('/').map((segment) => (isDecodable(segment) ? segment : UNKNOWN));
  return [segments.join('/'), ...query].join('');
}

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
