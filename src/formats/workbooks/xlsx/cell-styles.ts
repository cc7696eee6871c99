import { MAX_FORMAT_LENGTH, MAX_FORMATS, MAX_STYLES } from '../limits.ts';
import type { Archive } from './archive.ts';
import { builtInCode } from './built-in-formats.ts';
import { unescapeText } from './escapes.ts';
import { type Attributes, readWholeXml } from './xml.ts';

/** What the styles of cells say of their numbers. */
export interface CellStyles {
  /** The code of the number format of each style; undefined of General. */
  readonly formats: readonly (string | undefined)[];
  /** The numbers of the styles that show a day. */
  readonly dates: ReadonlySet<string>;
}

/** Formats and styles beyond the limits count as General. */
export async function readCellStyles(archive: Archive, part: string): Promise<CellStyles> {
  const codes = new Map<string, string>();
  const formats: (string | undefined)[] = [];
  const dates = new Set<string>();
  let isCellStyles = false;
  const addFormat = ({ numFmtId: id = '', formatCode: code = '' }: Attributes) => {
    if (codes.size < MAX_FORMATS) codes.set(id, unescapeText(code));
  };
  const addStyle = ({ numFmtId: id = '' }: Attributes) => {
    if (formats.length >= MAX_STYLES) return;
    const code = codes.get(id) ?? builtInCode(id);
    if (code !== undefined && hasDay(code)) dates.add(String(formats.length));
    formats.push(code !== undefined && isKept(code) ? code : undefined);
  };
  await readWholeXml(part, archive.read(part), {
    open(name, attributes) {
      if (name === 'numFmt') addFormat(attributes);
      if (name === 'cellXfs') isCellStyles = true;
      if (name === 'xf' && isCellStyles) addStyle(attributes);
    },
    close(name) {
      if (name === 'cellXfs') isCellStyles = false;
    },
  });
  return { formats, dates };
}

function isKept(code: string): boolean {
  return code !== '' && code.length <= MAX_FORMAT_LENGTH && code.toLowerCase() !== 'general';
}

/** Whether a format has a year, an era or a day outside of quotes, escapes and brackets; not the E of an exponent. */
function hasDay(code: string): boolean {
  const bare = code.replace(/"[^"]*(?:"|$)|\\.|_.|\*.|\[[^\]]*(?:\]|$)/g, '');
  return /[ydeg]/i.test(bare.replace(/general|e[+-]/gi, ''));
}
