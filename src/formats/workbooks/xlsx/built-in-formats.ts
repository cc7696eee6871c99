/** Number formats that files name by their ids alone (ECMA-376, 18.8.30), as they are in English; 0 is General. */
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

/** Dates whose code depends on the language of the program, one of East Asia. */
const EAST_ASIAN_DATE = /^(?:2[7-9]|3[0-6]|5[0-8])$/;

const IDS: ReadonlyMap<string, string> = new Map(Array.from(CODES, ([id, code]) => [code, id]));

/** The code of a built-in format; undefined of General, and of ids that none has. */
export function builtInCode(id: string): string | undefined {
  return EAST_ASIAN_DATE.test(id) ? 'yyyy-mm-dd' : CODES.get(id);
}

/** The id of the built-in format that has a code; undefined where none has. */
export function builtInId(code: string): string | undefined {
  return IDS.get(code);
}
