import { findFunction } from '../../../formulas/functions/registry.ts';
import { type Token, tokenTypes } from '../../../formulas/syntax/formula-library.ts';
import { FormulaSyntaxError, parseFormula } from '../../../formulas/syntax/parse.ts';
import { withIntersections, withoutIntersections } from './intersections.ts';
import { isCall, isNestedTooDeeply, isOperator, operandEnds, textOf, tokensOf } from './tokens.ts';

/** A formula in the form of a file. */
export interface FileFormula {
  /** Without "=". */
  readonly text: string;
  /** An array formula, which may fill more cells than its own. */
  readonly isArray: boolean;
}

/** Converts a formula, which starts with "=", for a file; undefined when it does not parse. */
export function formulaForFile(formula: string): FileFormula | undefined {
  const tokens = tokensOf(formula).slice(1);
  if (tokens.length === 0 || isNestedTooDeeply(tokens) || !parses(formula)) return undefined;
  const old = withoutIntersections(tokens);
  const isArray = computes(tokens) || withIntersections(textOf(old)) !== formula.slice(1);
  const fileTokens = isArray ? tokens : old;
  const operands = { tokens: fileTokens, ends: operandEnds(fileTokens), parameters: parametersIn(tokens) };
  return { text: fileText(operands, 0, fileTokens.length), isArray };
}

function parses(formula: string): boolean {
  try {
    parseFormula(formula);
    return true;
  } catch (error) {
    if (error instanceof FormulaSyntaxError) return false;
    throw error;
  }
}

/** Whether it computes arrays other than from ranges. */
function computes(tokens: readonly Token[]): boolean {
  if (isOperator(tokens[0], '{')) return true;
  return tokens.some((token) => isOperator(token, '#') || (isCall(token) && computesArrays(token.value)));
}

/** The names that LET and LAMBDA define; sheets have no other names. */
function parametersIn(tokens: readonly Token[]): ReadonlySet<string> {
  const hasParameters = tokens.some((token) => isCall(token) && /^(?:LET|LAMBDA)$/i.test(token.value));
  if (!hasParameters) return new Set();
  const names = tokens.map((token) =>
    token.type === tokenTypes.REF_NAMED ? token.value : optionalName(token),
  );
  return new Set(names.flatMap((name) => (name === undefined ? [] : [name.toUpperCase()])));
}

/** The input of the conversion: the tokens, the end of the operand that starts at each token, and the parameters. */
interface Operands {
  readonly tokens: readonly Token[];
  readonly ends: readonly number[];
  readonly parameters: ReadonlySet<string>;
}

/** `@` applies to the operand after it, `#` to the operand before it. */
function fileText(operands: Operands, from: number, to: number): string {
  const { tokens, parameters } = operands;
  let text = '';
  for (let at = from; at < to; ) {
    const sign = signAt(operands, at, to);
    if (sign) text += `_xlfn.${sign.name}(${fileText(operands, sign.start, sign.end)})`;
    else text += tokenText(tokens[at], parameters);
    at = sign ? sign.next : at + 1;
  }
  return text;
}

/** The sign that applies to the token at this index, and its operand. */
function signAt({ tokens, ends }: Operands, at: number, to: number) {
  const endOf = (start: number) => Math.min(ends[start] ?? to, to);
  if (isOperator(tokens[at], '@')) {
    const end = endOf(at + 1);
    return { name: 'SINGLE', start: at + 1, end, next: end };
  }
  const end = endOf(at);
  if (end === to || !isOperator(tokens[end], '#')) return undefined;
  return { name: 'ANCHORARRAY', start: at, end, next: end + 1 };
}

/** The name of an optional parameter of LAMBDA, written as [name]. */
function optionalName({ type, value }: Token): string | undefined {
  return type === tokenTypes.REF_STRUCT ? /^\[([A-Za-z_]\w*)\]$/.exec(value)?.[1] : undefined;
}

function tokenText(token: Token | undefined, parameters: ReadonlySet<string>): string {
  if (!token) return '';
  const optional = optionalName(token);
  if (optional !== undefined && parameters.has(optional.toUpperCase())) return `_xlop.${optional}`;
  if (parameters.has(token.value.toUpperCase())) return `_xlpm.${token.value}`;
  if (token.type === tokenTypes.REF_NAMED && findFunction(token.value.toUpperCase()) !== undefined)
    return `_xleta.${token.value}`;
  return isCall(token) ? prefixOf(token.value) + token.value : token.value;
}

/** Functions that files write with a prefix, because Excel 2007 does not know them ([MS-XLSX] 2.2.2). */
const NEWER = new Set(
  `ACOT ACOTH AGGREGATE ARABIC ARRAYTOTEXT BASE BETA.DIST BETA.INV BINOM.DIST BINOM.DIST.RANGE BINOM.INV BITAND
  BITLSHIFT BITOR BITRSHIFT BITXOR BYCOL BYROW CEILING.MATH CEILING.PRECISE CHISQ.DIST CHISQ.DIST.RT CHISQ.INV
  CHISQ.INV.RT CHISQ.TEST CHOOSECOLS CHOOSEROWS COMBINA CONCAT CONFIDENCE.NORM CONFIDENCE.T COT COTH COVARIANCE.P
  COVARIANCE.S CSC CSCH DAYS DECIMAL DETECTLANGUAGE DROP ERF.PRECISE ERFC.PRECISE EXPAND EXPON.DIST F.DIST F.DIST.RT
  F.INV F.INV.RT F.TEST FIELDVALUE FILTERXML FLOOR.MATH FLOOR.PRECISE FORECAST.ETS FORECAST.ETS.CONFINT
  FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT FORECAST.LINEAR FORMULATEXT GAMMA GAMMA.DIST GAMMA.INV GAMMALN.PRECISE
  GAUSS GROUPBY HSTACK HYPGEOM.DIST IFNA IFS IMAGE IMCOSH IMCOT IMCSC IMCSCH IMSEC IMSECH IMSINH IMTAN ISFORMULA
  ISOMITTED ISOWEEKNUM LAMBDA LET LOGNORM.DIST LOGNORM.INV MAKEARRAY MAP MAXIFS MINIFS MODE.MULT MODE.SNGL MUNIT
  NEGBINOM.DIST NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV NUMBERVALUE PDURATION PERCENTILE.EXC PERCENTILE.INC PERCENTOF
  PERCENTRANK.EXC PERCENTRANK.INC PERMUTATIONA PHI PIVOTBY POISSON.DIST QUARTILE.EXC QUARTILE.INC RANDARRAY RANK.AVG
  RANK.EQ REDUCE REGEXEXTRACT REGEXREPLACE REGEXTEST RRI SCAN SEC SECH SEQUENCE SHEET SHEETS SKEW.P SORTBY STDEV.P
  STDEV.S SWITCH T.DIST T.DIST.2T T.DIST.RT T.INV T.INV.2T T.TEST TAKE TEXTAFTER TEXTBEFORE TEXTJOIN TEXTSPLIT TOCOL
  TOROW TRANSLATE TRIMRANGE UNICHAR UNICODE UNIQUE VALUETOTEXT VAR.P VAR.S VSTACK WEBSERVICE WEIBULL.DIST WRAPCOLS
  WRAPROWS XLOOKUP XMATCH XOR Z.TEST`.split(/\s+/),
);
const WORKSHEET_FUNCTIONS = new Set(['FILTER', 'SORT']);

/** Functions that return arrays for any arguments. */
const ARRAY_FUNCTIONS = new Set(
  `ANCHORARRAY BYCOL BYROW CHOOSECOLS CHOOSEROWS DROP EXPAND FILTER FREQUENCY GROUPBY GROWTH HSTACK LAMBDA LET LINEST
  LOGEST MAKEARRAY MAP MINVERSE MMULT MODE.MULT MUNIT PIVOTBY RANDARRAY REDUCE REGEXEXTRACT SCAN SEQUENCE SORT SORTBY
  TAKE TEXTSPLIT TOCOL TOROW TRANSPOSE TREND TRIMRANGE UNIQUE VSTACK WRAPCOLS WRAPROWS XLOOKUP`.split(/\s+/),
);

/** The prefix of a function name in files. */
function prefixOf(name: string): string {
  const upper = name.toUpperCase();
  if (WORKSHEET_FUNCTIONS.has(upper)) return '_xlfn._xlws.';
  return NEWER.has(upper) ? '_xlfn.' : '';
}

function computesArrays(name: string): boolean {
  return ARRAY_FUNCTIONS.has(name.toUpperCase());
}
