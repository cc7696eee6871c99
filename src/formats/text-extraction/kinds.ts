/** How the text of a file is found; `written` is for readers that may write it back, and is not told by a type. */
export type Kind = 'plain' | 'json' | 'html' | 'pdf' | 'office' | 'written';

/** Texts that libmagic or the content-type room report under other types than text/. */
const PLAIN = new Set([
  'application/csv',
  'application/javascript',
  'application/mbox',
  'application/sql',
  'application/toml',
  'application/x-setupscript',
  'application/x-subrip',
  'application/x-tex',
  'application/xml',
  'application/yaml',
]);

/** Its control words would be found as words. */
const RICH_TEXT = new Set(['text/rtf', 'text/richtext']);

const JSON_TYPES = new Set(['application/json', 'application/x-ndjson', 'text/json']);

const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);

/** Documents, templates and shows, with and without macros. */
const OFFICE =
  /^application\/vnd\.(?:openxmlformats-officedocument\.(?:wordprocessingml|spreadsheetml|presentationml)\.|ms-(?:word|excel|powerpoint)\.[a-z]+\.macroenabled\.12$|oasis\.opendocument\.(?:text|spreadsheet|presentation)(?:-template)?$)/;

/** The kind of a media type, with or without parameters; undefined for a type without text. */
export function kindOf(mimeType: string): Kind | undefined {
  const [written = ''] = mimeType.split(';', 1);
  const type = written.trim().toLowerCase();
  if (type === 'application/pdf') return 'pdf';
  if (HTML_TYPES.has(type)) return 'html';
  if (JSON_TYPES.has(type) || type.endsWith('+json')) return 'json';
  if (OFFICE.test(type)) return 'office';
  return isPlain(type) ? 'plain' : undefined;
}

function isPlain(type: string): boolean {
  if (RICH_TEXT.has(type)) return false;
  return PLAIN.has(type) || type.endsWith('+xml') || /^(?:text|message)\//.test(type);
}
