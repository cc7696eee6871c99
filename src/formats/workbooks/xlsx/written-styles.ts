import { builtInId } from './built-in-formats.ts';
import { escapeAttribute } from './escapes.ts';
import { DECLARATION, MAIN } from './namespaces.ts';

/** Ids below this one are those of built-in formats. */
const FIRST_OWN_ID = 164;

/** The least that programs want to find. */
const APPEARANCE =
  '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>';
const CELL_STYLES = '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>';

/** The styles that the cells of a workbook turn out to need while it is written: one for each number format. */
export class WrittenStyles {
  /** By the codes of their formats; style 0 is General. */
  readonly #styles = new Map<string, number>();

  /** The attribute that gives a cell its style; none where it has no format. */
  attributeOf(format: string | undefined): string {
    if (format === undefined) return '';
    return ` s="${this.#styles.getOrInsertComputed(format, () => this.#styles.size + 1)}"`;
  }

  /** The part of all styles that were needed. */
  part(): string {
    const own: string[] = [];
    const styles = Array.from(this.#styles.keys(), (code) => {
      const id = builtInId(code) ?? String(FIRST_OWN_ID + own.length);
      if (builtInId(code) === undefined) {
        own.push(`<numFmt numFmtId="${id}" formatCode="${escapeAttribute(code)}"/>`);
      }
      return `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`;
    });
    const formats = own.length > 0 ? `<numFmts count="${own.length}">${own.join('')}</numFmts>` : '';
    const general = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>';
    const all = `<cellXfs count="${styles.length + 1}">${general}${styles.join('')}</cellXfs>`;
    return `${DECLARATION}<styleSheet xmlns="${MAIN}">${formats}${APPEARANCE}${all}${CELL_STYLES}</styleSheet>`;
  }
}
