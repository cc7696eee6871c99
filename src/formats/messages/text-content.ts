import { decodeText, latin1 } from './charsets.ts';
import { storable } from './message.ts';
import { charsetOf, type Part } from './part.ts';

/** A text entity: its decoded bytes and the header values needed to read them. Sent to a thread unchanged. */
export interface TextContent {
  html: boolean;
  charset: string;
  /** RFC 3676: whether lines are flowed, and whether the spaces at their ends are deleted. */
  flowed: boolean;
  delSp: boolean;
  bytes: Uint8Array;
}

/** Extracts the content of a text entity for later reading. */
export function textContent(part: Part, html: boolean, bytes: Uint8Array): TextContent {
  const says = (name: string, value: string) => part.parameters.get(name)?.raw.toLowerCase() === value;
  const flowed = says('format', 'flowed');
  return { html, charset: charsetOf(part), flowed, delSp: says('delsp', 'yes'), bytes };
}

/** The text of a plain entity: LF line ends, flowed paragraphs joined. */
export function plainText({ charset, flowed, delSp, bytes }: TextContent): string {
  const text = withLineFeeds(storable(decodeText(bytes, charset)));
  return flowed ? unflow(text, delSp) : text;
}

/** CR LF, CR CR LF and bare CR become LF. By a pattern: replaceAll builds a tree with a string for each line. */
function withLineFeeds(text: string): string {
  const usual = text.replace(/\r\n/g, '\n');
  return usual.includes('\r') ? usual.replace(/\r\n?/g, '\n') : usual;
}

/** The source of an HTML entity. Without a declared charset, uses the charset of its meta element. */
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
 * RFC 3676 text as a person reads it: joins the paragraphs broken into lines that end in a space, at each quote
 * depth. `delSp`: the space at such a line end does not belong to the text.
 */
export function unflow(text: string, delSp: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  let quotes = 0;
  const flush = () => {
    if (paragraph.length > 0) out.push(quoteLine(quotes, paragraph.join('')));
    paragraph = [];
  };
  for (const line of text.split('\n').map(readLine)) {
    // 4.5: a change of quote depth ends a paragraph; 4.3: the signature separator is its own paragraph.
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

function quoteLine(quotes: number, text: string): string {
  if (quotes === 0) return text;
  return text === '' ? '>'.repeat(quotes) : `${'>'.repeat(quotes)} ${text}`;
}
