import { MAX_FORMATS } from '../workbook.ts';
import { DECLARATION, MAIN } from './written-parts.ts';
import { escapeAttribute } from './xml.ts';

/** Built-in number formats by id (ECMA-376 18.8.30), in their English form; 0 is General. */
const CODES: ReadonlyMap<string, string> = new Map([
  ['1', '0'],
  ['2', '0.00'],
  ['3', '#,##0'],
  ['4', '#,##0.00'],
  ['5', '"$"#,##0_);("$"#,##0)'],
  ['6', '"$"#,##0_);[Red]("$"#,##0)'],
  ['7', '"$"#,##0.00_);("$"#,##0.00)'],
  ['8', '"$"#,##0.00_);[Red]("$"#,##0.00)'],
  ['9', '0%'],
  ['10', '0.00%'],
  ['11', '0.00E+00'],
  ['12', '# ?/?'],
  ['13', '# ??/??'],
  ['14', 'mm-dd-yy'],
  ['15', 'd-mmm-yy'],
  ['16', 'd-mmm'],
  ['17', 'mmm-yy'],
  ['18', 'h:mm AM/PM'],
  ['19', 'h:mm:ss AM/PM'],
  ['20', 'h:mm'],
  ['21', 'h:mm:ss'],
  ['22', 'm/d/yy h:mm'],
  ['37', '#,##0 ;(#,##0)'],
  ['38', '#,##0 ;[Red](#,##0)'],
  ['39', '#,##0.00;(#,##0.00)'],
  ['40', '#,##0.00;[Red](#,##0.00)'],
  ['41', '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)'],
  ['42', '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)'],
  ['43', '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)'],
  ['44', '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)'],
  ['45', 'mm:ss'],
  ['46', '[h]:mm:ss'],
  ['47', 'mmss.0'],
  ['48', '##0.0E+0'],
  ['49', '@'],
]);

/** Built-in dates of East Asian locales; their code depends on the program's language. */
const EAST_ASIAN_DATE = /^(?:2[7-9]|3[0-6]|5[0-8])$/;

const IDS: ReadonlyMap<string, string> = new Map(Array.from(CODES, ([id, code]) => [code, id]));

/** The code of a built-in format; undefined for General and unknown ids. */
export function builtInCode(id: string): string | undefined {
  return EAST_ASIAN_DATE.test(id) ? 'yyyy-mm-dd' : CODES.get(id);
}

/** The id of the built-in format with this code; undefined without one. */
function builtInId(code: string): string | undefined {
  return IDS.get(code);
}

/** Smaller ids belong to built-in formats. */
const FIRST_OWN_ID = 164;

/** The elements that programs require at least. */
const APPEARANCE =
  '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>';
const CELL_STYLES = '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>';

/** Collects the styles of the written cells: one for each number format. */
export class StylesWriter {
  /** By format code; style 0 is General. */
  readonly #styles = new Map<string, number>();

  /** The style attribute of a cell; "" without a format, and for formats beyond as many as a file is read with. */
  attributeOf(format: string | undefined): string {
    if (format === undefined) return '';
    if (this.#styles.size >= MAX_FORMATS && !this.#styles.has(format)) return '';
    return ` s="${this.#styles.getOrInsertComputed(format, () => this.#styles.size + 1)}"`;
  }

  /** The styles part, complete after the last cell. */
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
