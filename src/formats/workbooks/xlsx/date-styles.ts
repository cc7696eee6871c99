import type { Archive } from './archive.ts';
import { type Attributes, readWholeXml } from './xml.ts';

/** Built-in formats of dates (ECMA-376, 18.8.30), those of East Asian languages too; times alone have no day to count. */
const BUILT_IN = new Set(['14', '15', '16', '17', '22', ...range(27, 36), ...range(50, 58)]);

/** Which styles of cells show a day. */
export async function readDateStyles(archive: Archive, part: string): Promise<ReadonlySet<string>> {
  const formats = new Map<string, string>();
  const styles = new Set<string>();
  let isCellStyles = false;
  let count = 0;
  const addStyle = ({ numFmtId: id = '' }: Attributes) => {
    const code = formats.get(id);
    const showsDay = code === undefined ? BUILT_IN.has(id) : hasDay(code);
    if (showsDay) styles.add(String(count));
    count++;
  };
  await readWholeXml(part, archive.read(part), {
    open(name, attributes) {
      if (name === 'numFmt') formats.set(attributes.numFmtId ?? '', attributes.formatCode ?? '');
      if (name === 'cellXfs') isCellStyles = true;
      if (name === 'xf' && isCellStyles) addStyle(attributes);
    },
    close(name) {
      if (name === 'cellXfs') isCellStyles = false;
    },
  });
  return styles;
}

/** Whether a format has a year, an era or a day outside of quotes, escapes and brackets; not the E of an exponent. */
function hasDay(code: string): boolean {
  const bare = code.replace(/"[^"]*(?:"|$)|\\.|_.|\*.|\[[^\]]*(?:\]|$)/g, '');
  return /[ydeg]/i.test(bare.replace(/general|e[+-]/gi, ''));
}

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
}
