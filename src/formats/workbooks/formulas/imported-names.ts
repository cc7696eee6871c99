import { tokenTypes } from '../../../formulas/syntax/formula-library.ts';
import type { ImportNotes } from '../import-notes.ts';
import type { ImportedName } from '../looks.ts';
import { type DefinedName, resolveNames } from './names.ts';
import type { Tables } from './tables.ts';
import { isNestedTooDeeply, tokensOf } from './tokens.ts';

/** A name as a file defines it. */
export interface NameDefinition extends DefinedName {
  readonly attributes: Readonly<Record<string, string>>;
}

/** Excel's limits of a name and of its comment. */
const LONGEST_NAME = 255;
const LONGEST_FORMULA = 8_192;
/** Most characters of all names together. */
const MAX_LENGTH = 1024 * 1024;

const NAME = /^[\p{L}\p{So}_\\][\p{L}\p{M}\p{N}\p{S}_.\\?]*$/u;
/** Built-in names that a writer keeps as they are; that of the filter belongs to the filter. */
const BUILT_IN =
  /^_xlnm\.(?:Print_Area|Print_Titles|Criteria|Extract|Database|Consolidate_Area|Sheet_Title)$/i;
const FILTER = /^_xlnm\._FilterDatabase$/i;
/** What refers to cells: an address, or a row and a column number. */
const LIKE_CELL = /^(?:[a-z]{1,3}[0-9]{1,7}|r[0-9]*|c[0-9]*|r[0-9]*c[0-9]*)$/i;

/**
 * The names that a spreadsheet keeps, for programs that read its export; references to tables become ranges. Names of
 * macros and of other files, and invalid ones, are noted as left out: programs refuse a file with them.
 */
export function importedNames(
  definitions: readonly NameDefinition[],
  sheets: readonly { readonly name: string }[],
  tables: Tables,
  notes: ImportNotes,
): ImportedName[] {
  const sheetNames = new Set(sheets.map(({ name }) => name.toLowerCase()));
  const kept = new Map<string, ImportedName>();
  let length = 0;
  for (const definition of definitions) {
    const { name, sheet } = definition;
    if (FILTER.test(name)) continue;
    const found = importedName(definition, sheetNames, tables);
    const key = JSON.stringify([name.toLowerCase(), sheet?.toLowerCase()]);
    length += name.length + (found?.formula.length ?? 0) + (found?.comment?.length ?? 0);
    if (found && length <= MAX_LENGTH && !kept.has(key)) kept.set(key, found);
    else notes.add('defined_names', { name, ...(sheet && { sheet }) });
  }
  return [...kept.values()];
}

function importedName(
  { name, sheet, formula: given, attributes }: NameDefinition,
  sheetNames: ReadonlySet<string>,
  tables: Tables,
): ImportedName | undefined {
  if (!isName(name) || ['function', 'vbProcedure', 'xlm'].some((flag) => isSet(attributes[flag])))
    return undefined;
  if (sheet !== undefined && !sheetNames.has(sheet.toLowerCase())) return undefined;
  const formula = withoutTables(given, sheet, tables);
  if (formula === undefined || !refersWithin(formula, sheetNames)) return undefined;
  const { hidden, comment } = attributes;
  return {
    name,
    ...(sheet !== undefined && { sheet }),
    formula,
    ...(isSet(hidden) && { isHidden: true }),
    ...(comment && comment.length <= LONGEST_NAME && { comment: comment.toWellFormed() }),
  };
}

function isSet(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true';
}

function isName(name: string): boolean {
  if (BUILT_IN.test(name)) return true;
  return name.length <= LONGEST_NAME && NAME.test(name) && !LIKE_CELL.test(name);
}

function withoutTables(formula: string, sheet: string | undefined, tables: Tables): string | undefined {
  if (formula.trim() === '' || formula.length > LONGEST_FORMULA) return undefined;
  if (tables.isEmpty) return formula;
  return resolveNames(formula, (reference) => tables.at(reference, sheet, 0));
}

const REFERENCES: ReadonlySet<string> = new Set([
  tokenTypes.REF_RANGE,
  tokenTypes.REF_BEAM,
  tokenTypes.REF_TERNARY,
  tokenTypes.REF_NAMED,
]);

/** Whether a formula can be read, and refers to sheets of the workbook only. */
function refersWithin(formula: string, sheetNames: ReadonlySet<string>): boolean {
  const tokens = tokensOf(formula);
  if (isNestedTooDeeply(tokens)) return false;
  return tokens.every(({ type, value }) => {
    if (type === tokenTypes.REF_STRUCT) return false;
    if (type === tokenTypes.UNKNOWN) return false;
    return !REFERENCES.has(type) || sheetsOf(value).every((name) => sheetNames.has(name));
  });
}

/** The sheets that a reference names, in lower case; one of another file has its brackets. */
function sheetsOf(reference: string): string[] {
  const end = reference.lastIndexOf('!');
  if (end < 0) return [];
  const prefix = reference.slice(0, end).replace(/^'|'$/g, '').replaceAll("''", "'");
  return prefix.toLowerCase().split(':');
}

/** Whether a name refers to no sheet but this one. */
export function refersOnlyTo(formula: string, sheet: string): boolean {
  return refersWithin(formula, new Set([sheet.toLowerCase()]));
}
