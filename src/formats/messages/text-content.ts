import { decodeText, latin1 } from './charsets.ts';
import { storable } from './message.ts';
import { charsetOf, type Part } from './part.ts';

/** A text entity: its decoded bytes, and what is needed of its header section to read them. Sent to a thread as it is. */
export interface TextContent {
  html: boolean;
  charset: string;
  /** RFC 3676: whether its lines are flowed, and whether the blanks they end with go. */
  flowed: boolean;
  delSp: boolean;
  bytes: Uint8Array;
}

/** Of a text entity what is read later. */
export function textContent(part: Part, html: boolean, bytes: Uint8Array): TextContent {
  const says = (name: string, value: string) => part.parameters.get(name)?.raw.toLowerCase() === value;
  const flowed = says('format', 'flowed');
  return { html, charset: charsetOf(part), flowed, delSp: says('delsp', 'yes'), bytes };
}

/** The text of a plain entity: LF line ends, flowed paragraphs whole. */
export function plainText({ charset, flowed, delSp, bytes }: TextContent): string {
  const text = withLineFeeds(storable(decodeText(bytes, charset)));
  return flowed ? unflow(text, delSp) : text;
}

/** CR LF, CR CR LF and bare CR all become LF. By a pattern: replaceAll makes a tree of as many strings as lines. */
function withLineFeeds(text: string): string {
  const usual = text.replace(/\r\n/g, '\n');
  return usual.includes('\r') ? usual.replace(/\r\n?/g, '\n') : usual;
}

/** The source of an HTML entity; without a charset of its own, the one that its meta element names. */
export function htmlSource({ charset, bytes }: TextContent): string {
  return storable(decodeText(bytes, charset || declaredInMeta(bytes)));
}

const META_WINDOW = 2048;

function declaredInMeta(bytes: Uint8Array): string {
  const start = latin1(bytes.subarray(0, META_WINDOW));
  return /<meta\b[^<>]*?charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1] ?? '';
}

interface FlowedLine {
  quotes: number;
  text: string;
}

/**
 * RFC 3676 text as a person reads it: paragraphs that were broken into lines ending in a space are whole
 * again, at each depth of quoting. `delSp` tells that the space at such an end is no part of the text.
 */
export function unflow(text: string, delSp: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  let quotes = 0;
  const flush = () => {
    if (paragraph.length > 0) out.push(quoted(quotes, paragraph.join('')));
    paragraph = [];
  };
  for (const line of text.split('\n').map(readLine)) {
    // 4.5: a change of quote depth ends a paragraph; 4.3: the signature separator stands alone.
    if (line.quotes !== quotes || line.text === '-- ') flush();
    quotes = line.quotes;
    const soft = line.text.endsWith(' ') && line.text !== '-- ';
    paragraph.push(soft && delSp ? line.text.slice(0, -1) : line.text);
    if (!soft) flush();
  }
  flush();
  return out.join('\n');
}

function readLine(line: string): FlowedLine {
  let quotes = 0;
  while (line[quotes] === '>') quotes++;
  const rest = line.slice(quotes);
  // 4.4: one leading space is stuffing.
  return { quotes, text: rest.startsWith(' ') ? rest.slice(1) : rest };
}

function quoted(quotes: number, text: string): string {
  if (quotes === 0) return text;
  return text === '' ? '>'.repeat(quotes) : `${'>'.repeat(quotes)} ${text}`;
}
