import { compile, type FormatCallback } from 'html-to-text';
import { Parser } from 'htmlparser2';
import { cutAt, MAX_SHOWN_BODY } from './message.ts';

/** No real list has larger numbers, and the digits of a number indent every line of its item. */
const LARGEST = 999_999;

const LARGEST_ROMAN = 3_999;

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/**
 * Returns the function from the index of an item in an ordered list to its number, by the list's `start` and
 * `type`. Numbers without a form in letters or Roman numerals are written in digits, as in browsers.
 */
function listNumber(start = '', type = ''): (index: number) => string {
  const first = firstNumber(start);
  return (index) => write(Math.min(first + index, LARGEST), type);
}

function firstNumber(start: string): number {
  const number = Number.parseInt(start, 10);
  return Number.isNaN(number) ? 1 : Math.max(-LARGEST, Math.min(number, LARGEST));
}

function write(number: number, type: string): string {
  if (number >= 1 && (type === 'a' || type === 'A')) return inCaseOf(type, letters(number));
  if (number >= 1 && number <= LARGEST_ROMAN && (type === 'i' || type === 'I'))
    return inCaseOf(type, roman(number));
  return String(number);
}

function inCaseOf(type: string, text: string): string {
  return type === type.toUpperCase() ? text.toUpperCase() : text;
}

function letters(number: number): string {
  let text = '';
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) {
    text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  }
  return text;
}

function roman(number: number): string {
  let text = '';
  let left = number;
  for (const [value, numeral] of ROMAN) {
    text += numeral.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}

/** Deeper lists and quotes are not indented: each level would add a prefix to all its lines. */
const MAX_INDENTED = 20;

/** The longest prefix that a list or a quote adds to a line, in characters: " mmmdccclxxxviii. ". */
const WIDEST_INDENT = 18;

/** Most characters of generated text, by an estimate that is never too low. */
const MAX_MADE = 8 * MAX_SHOWN_BODY;

const INDENTING = new Set(['blockquote', 'ol', 'ul']);

/**
 * How many lists and quotes are open at the current element. A module variable, since the library runs
 * synchronously.
 */
let openIndents = 0;

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: MAX_SHOWN_BODY, maxDepth: 300, maxChildNodes: 100_000, ellipsis: '' },
  formatters: {
    orderedList: countIndent((elem, walk, builder) => {
      const number = listNumber(elem.attribs.start, elem.attribs.type);
      let index = 0;
      formatList(elem, walk, builder, () => ` ${number(index++)}. `);
    }),
    unorderedList: countIndent((elem, walk, builder) => formatList(elem, walk, builder, () => ' * ')),
    blockquote: countIndent((elem, walk, builder) => {
      builder.openBlock({ leadingLineBreaks: 2, reservedLineLength: 2 });
      walk(elem.children, builder);
      builder.closeBlock({ trailingLineBreaks: 2, blockTransform: quoteLines });
    }),
  },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

export interface HtmlText {
  text: string;
  /** True when the text does not contain all of the HTML. */
  truncated: boolean;
}

/**
 * The text of sanitized HTML as a person reads it, without the addresses of links and images; at most
 * MAX_SHOWN_BODY characters.
 */
export function htmlText(html: string): HtmlText {
  const source = boundedHtml(html);
  openIndents = 0;
  const text = convert(source);
  return { text: cutAt(text, MAX_SHOWN_BODY), truncated: source !== html || text.length > MAX_SHOWN_BODY };
}

function countIndent(format: FormatCallback): FormatCallback {
  return (elem, walk, builder, options) => {
    openIndents++;
    if (openIndents <= MAX_INDENTED) format(elem, walk, builder, options);
    else {
      builder.openBlock({ leadingLineBreaks: 1 });
      walk(elem.children, builder);
      builder.closeBlock({ trailingLineBreaks: 1 });
    }
    openIndents--;
  };
}

/** The library's own list format with other numbers. */
function formatList(
  elem: Parameters<FormatCallback>[0],
  walk: Parameters<FormatCallback>[1],
  builder: Parameters<FormatCallback>[2],
  nextPrefix: () => string,
): void {
  const isNested = elem.parent?.name === 'li';
  const items = (elem.children ?? [])
    .filter((child) => child.type !== 'text' || child.data?.trim() !== '')
    .map((child) => {
      if (child.name !== 'li') return { child, prefix: '' };
      return { child, prefix: isNested ? nextPrefix().trimStart() : nextPrefix() };
    });
  if (items.length === 0) return;
  let maxPrefixLength = 0;
  for (const { prefix } of items) maxPrefixLength = Math.max(maxPrefixLength, prefix.length);
  const breaks = isNested ? 1 : 2;
  builder.openList({
    interRowLineBreaks: 1,
    leadingLineBreaks: breaks,
    maxPrefixLength,
    prefixAlign: 'left',
  });
  for (const { child, prefix } of items) {
    builder.openListItem({ prefix });
    walk([child], builder);
    builder.closeListItem();
  }
  builder.closeList({ trailingLineBreaks: breaks });
}

function quoteLines(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '\n') start++;
  while (end > start && text[end - 1] === '\n') end--;
  return `> ${text.slice(start, end).replaceAll('\n', '\n> ')}`;
}

/**
 * The start of the HTML, up to the point where its text would become too long. Each line counts with the prefixes
 * of all its lists and quotes.
 */
function boundedHtml(html: string): string {
  if (html.length * (1 + WIDEST_INDENT * Math.min(countIndenting(html), MAX_INDENTED)) <= MAX_MADE)
    return html;
  let depth = 0;
  let made = 0;
  let end = html.length;
  const add = (characters: number, lines: number) => {
    made += characters + lines * (1 + WIDEST_INDENT * Math.min(depth, MAX_INDENTED));
    if (made <= MAX_MADE || end < html.length) return;
    end = parser.startIndex;
    parser.pause();
    parser.reset();
  };
  const parser = new Parser({
    onopentag: (name) => {
      if (INDENTING.has(name)) depth++;
      add(0, 2);
    },
    onclosetag: (name) => {
      if (INDENTING.has(name)) depth--;
      add(0, 2);
    },
    ontext: (text) => add(text.length, countLines(text)),
  });
  parser.write(html);
  return html.slice(0, end);
}

function countIndenting(html: string): number {
  return html.match(/<(?:blockquote|ol|ul)\b/g)?.length ?? 0;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
