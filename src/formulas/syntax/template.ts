import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';

/** A formula with its relative references as offsets from its cell: the same for all cells that it was filled into. */
export type Template = string;

const LETTERS = '\\$?[A-Za-z]{1,3}';
const DIGITS = '\\$?\\d{1,7}';
const WORD = '[\\w.\\\\\\u0080-\\uffff]';
const TEXT_OR_REFERENCE = new RegExp(
  [
    '"(?:[^"]|"")*"?',
    "'(?:[^']|'')*'?",
    '\\[[^\\]]*\\]?',
    `(${LETTERS})(${DIGITS})(?!${WORD}|\\(|!|\\[)`,
    `(${LETTERS}):(${LETTERS})(?!${WORD}|\\(|!|\\[)`,
    `(${DIGITS}):(${DIGITS})(?!${WORD}|!)`,
    `(?:${WORD}|\\$)+`,
  ].join('|'),
  'g',
);
/** A private-use character; one in the formula itself is encoded as `M`. */
const MARK = '\ue000';
const MARKED = /\ue000(?:M|([RC])(\$?)(-?\d+));/g;

/** The template of a formula in a cell. Texts and names stay unchanged. */
export function templateOf(formula: string, row: number, column: number): Template {
  const text = formula.replaceAll(MARK, `${MARK}M;`);
  const markRow = (text: string) => mark('R', text, row, (digits) => Number(digits) - 1, MAX_ROWS);
  const markColumn = (text: string) => mark('C', text, column, columnOf, MAX_COLUMNS);
  return text.replace(TEXT_OR_REFERENCE, (matched: string, ...groups: (string | undefined)[]) => {
    const [letters, digits, left, right, top, bottom] = groups;
    const marked =
      letters !== undefined && digits !== undefined
        ? [markColumn(letters), markRow(digits)]
        : left !== undefined && right !== undefined
          ? [markColumn(left), ':', markColumn(right)]
          : top !== undefined && bottom !== undefined
            ? [markRow(top), ':', markRow(bottom)]
            : undefined;
    return marked === undefined || marked.includes(undefined) ? matched : marked.join('');
  });
}

function mark(
  kind: 'R' | 'C',
  text: string,
  from: number,
  read: (text: string) => number,
  limit: number,
): string | undefined {
  const fixed = text.startsWith('$');
  const line = read(fixed ? text.slice(1) : text);
  if (line < 0 || line >= limit) return undefined;
  return `${MARK}${kind}${fixed ? `$${line}` : line - from};`;
}

/** The formula of a template in a cell. */
export function formulaOf(template: Template, row: number, column: number): string {
  return template.replace(MARKED, (_, kind?: string, fixed = '', line = '') => {
    if (kind === undefined) return MARK;
    const at = Number(line) + (fixed === '$' ? 0 : kind === 'R' ? row : column);
    return fixed + (kind === 'R' ? at + 1 : columnName(at));
  });
}

/** The letters of a column: A for 0, XFD for 16,383. */
export function columnName(column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/** The column of letters, case-insensitive. */
export function columnOf(name: string): number {
  let column = 0;
  for (const letter of name.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
