import { decodeText, latin1 } from './charsets.ts';
import { unflow } from './flowed-text.ts';
import { charsetOf, type Part } from './part.ts';
import { storable } from './plain-strings.ts';

/** A text entity with its decoded bytes. */
export interface TextContent {
  part: Part;
  html: boolean;
  bytes: Uint8Array;
}

/** The text of a plain entity: LF line ends, flowed paragraphs whole. */
export function plainText({ part, bytes }: TextContent): string {
  const text = withLineFeeds(storable(decodeText(bytes, charsetOf(part))));
  const flowed = part.parameters.get('format')?.raw.toLowerCase() === 'flowed';
  return flowed ? unflow(text, part.parameters.get('delsp')?.raw.toLowerCase() === 'yes') : text;
}

/** CR LF, CR CR LF and bare CR all become LF. By a pattern: replaceAll makes a tree of as many strings as lines. */
function withLineFeeds(text: string): string {
  const usual = text.replace(/\r\n/g, '\n');
  return usual.includes('\r') ? usual.replace(/\r\n?/g, '\n') : usual;
}

/** The source of an HTML entity; without a charset of its own, the one that its meta element names. */
export function htmlSource({ part, bytes }: TextContent): string {
  return storable(decodeText(bytes, charsetOf(part) || declaredInMeta(bytes)));
}

const META_WINDOW = 2048;

function declaredInMeta(bytes: Uint8Array): string {
  const start = latin1(bytes.subarray(0, META_WINDOW));
  return /<meta\b[^<>]*?charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1] ?? '';
}
