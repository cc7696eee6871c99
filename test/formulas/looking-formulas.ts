import type { FormulaFunction, Parameter } from '../../src/formulas/functions/function.ts';
import { FUNCTION_NAMES, findFunction } from '../../src/formulas/functions/registry.ts';

/** Rows of every column of values. */
export const ROWS = 60_000;
const FEWER = 15_000;
/** More than a function of single values is called for between two looks. */
const PLACES = 3_000;

/** What stands in the columns, from A on. */
export const COLUMNS: readonly ((row: number) => number | string | boolean)[] = [
  (row) => ((row * 7_919) % ROWS) + 1,
  (row) => ((row * 10_477) % ROWS) + 2,
  (row) => `t${(row * 7_919) % ROWS}`,
  (row) => row % 2 === 0,
  () => 1 / ROWS,
  (row) => row + 1,
  (row) => (row % 2 === 0 ? -100 : 101 + (row % 7)),
  (row) => (row === 0 ? 'label' : row % 1_000),
  () => 2,
];

/** A single value for each kind of parameter. */
const SINGLE: Readonly<Record<Parameter, string>> = {
  number: '1',
  text: '"a"',
  logical: 'TRUE',
  scalar: '1',
  grid: '1',
  any: '1',
};

function range(column: string, rows = ROWS): string {
  return `${column}1:${column}${rows}`;
}

function takesRange(kind: Parameter): boolean {
  return kind === 'grid' || kind === 'any';
}

/** A call in which each parameter that takes a range is given one, and others a single value. */
function call(name: string, parameters: readonly Parameter[], given: (at: number) => string): string {
  return `${name}(${parameters.map((kind, at) => (takesRange(kind) ? given(at) : SINGLE[kind])).join()})`;
}

/** Calls of a function with ranges and arrays in every place that takes them. */
function callsOf({ name, parameters, required, repeats }: FormulaFunction): string[] {
  const places = parameters.flatMap((kind, at) => (takesRange(kind) ? [at] : []));
  const needed = parameters.slice(0, Math.max(required, 1));
  const calls = [
    call(name, parameters, () => range('A')),
    call(name, needed, () => range('I', FEWER)),
    call(name, parameters, () => range('C', FEWER)),
    `LET(a,${range('A', FEWER)}*1,COUNTA(${call(name, needed, () => 'a')}))`,
  ];
  if (places.length > 1)
    for (const place of places)
      calls.push(call(name, parameters, (at) => (at === place ? range('A', FEWER) : '1')));
  if (repeats === 1) {
    const one = call(name, parameters, () => range('A', 2_000)).slice(0, -1);
    calls.push(`${one}${`,${range('A', 2_000)}`.repeat(100)})`);
  }
  return calls;
}

/** Calls of a function of single values, for each of many. */
function liftedCallsOf({ name, parameters }: FormulaFunction): string[] {
  const [first = 'scalar', ...others] = parameters;
  const given = range(first === 'text' ? 'C' : 'A', PLACES);
  return [`${name}(${[given, ...others.map((kind) => SINGLE[kind])].join()})`];
}

/** Formulas that call every function of the catalogue with much, in all places of its arguments. */
export function generalFormulas(): string[] {
  const seen = new Set<unknown>();
  return FUNCTION_NAMES.flatMap((name) => {
    const one = findFunction(name) as FormulaFunction;
    if (one.parameters.length === 0 || seen.has(one.call)) return [];
    seen.add(one.call);
    const calls = one.parameters.some(takesRange) ? callsOf(one) : liftedCallsOf(one);
    return calls.map((formula) => (formula.startsWith('LET') ? `=${formula}` : `=COUNTA(${formula})`));
  });
}

const [A, B, C, D, E, F, G, H, I] = [...'ABCDEFGHI'].map((column) => range(column)) as [
  ...(readonly [string, string, string, string, string, string, string, string, string]),
];

/** Calls with what a function needs to do all of its work, and of the forms that the compiler computes itself. */
export const PARTICULAR_FORMULAS: readonly string[] = [
  `PROB(${A},${E},1,5)`,
  `XNPV(0.1,${G},${F})`,
  `XIRR(G1:G20000,F1:F20000)`,
  `IRR(G1:G20000)`,
  `MIRR(${G},0.1,0.1)`,
  `SERIESSUM(0.5,1,1,${A})`,
  `FORECAST.ETS(100001,B1:B9000,F1:F9000,4)`,
  `FORECAST.ETS.SEASONALITY(B1:B6000,F1:F6000)`,
  `FORECAST.ETS.STAT(B1:B9000,F1:F9000,5,4)`,
  `FORECAST.ETS.CONFINT(500000,B1:B3000,F1:F3000,0.9,4)`,
  `LINEST(A1:A20000,HSTACK(F1:F20000,B1:B20000,F1:F20000^2,F1:F20000^3,F1:F20000^4),TRUE,TRUE)`,
  `MDETERM(RANDARRAY(200,200))`,
  `MINVERSE(RANDARRAY(200,200))`,
  `MMULT(RANDARRAY(200,200),RANDARRAY(200,200))`,
  `MUNIT(1000)`,
  ...['XMATCH(-1,A:A,0)', 'MATCH("zz*",C:C,0)', 'MATCH(-1,A:A,-1)', 'XMATCH(-1,A:A,-1)'],
  ['-1', '-2', '-3', '-4'].map((value) => `IFERROR(MATCH(${value},A:A,0),0)`).join('+'),
  `XLOOKUP(-1,${A}*1,${B})`,
  `VLOOKUP(-1,A1:B${ROWS},2,FALSE)`,
  `VLOOKUP("a",A1:B${ROWS},2,TRUE)`,
  `HLOOKUP(-1,TRANSPOSE(${A}),1,FALSE)`,
  `COUNTIF(${C},"*99*")`,
  `COUNTIFS(${A},">5",${C},"<>t1")`,
  `SUMIFS(${A},${B},">5",${C},"<>t1")`,
  `MAXIFS(${A},${B},">5",${C},"<>t1")`,
  ...['DSUM', 'DCOUNT', 'DGET', 'DMAX', 'DPRODUCT', 'DSTDEV'].map((name) => `${name}(${H},1,H1:H2)`),
  `DSUM(H1:H20000,1,VSTACK("label",SEQUENCE(30)))`,
  `DSUM(H1:H3,1,H1:H20000)`,
  ...['AND', 'OR', 'XOR'].map((name) => `${name}(${D})`),
  `ARRAYTOTEXT(H:H,1)`,
  `TEXTJOIN(",",FALSE,H1:H100000)`,
  `TEXTJOIN(C1:C20000,FALSE,"a","b")`,
  `TEXTSPLIT(REPT("a,b;",50),C1:C20000,";")`,
  `TEXTBEFORE(REPT("a,b;",8000),C1:C20000)`,
  `FILTER(${A},${D})`,
  `FILTER(TRANSPOSE(${A}),TRANSPOSE(${D}))`,
  `SORT(C1:C20000)`,
  `SORTBY(A1:A20000,B1:B20000,-1)`,
  `UNIQUE(C1:C20000,FALSE,TRUE)`,
  `TOCOL(A1:D20000,1,TRUE)`,
  `TOROW(A1:D20000,3)`,
  `CHOOSECOLS(TRANSPOSE(${B}),A1:A20000)`,
  `VSTACK(${new Array(400).fill('A1:A200').join()})`,
  `TRIMRANGE(A:D)`,
  `SUMPRODUCT(${A},${B},${E})`,
  `SUMX2MY2(${A},TRANSPOSE(${B}))`,
  ...[4, 6, 9, 103].map((code) => `SUBTOTAL(${code},${A})`),
  ...[9, 12].map((code) => `AGGREGATE(${code},6,${A})`),
  `AGGREGATE(14,6,${A}*1,2)`,
  `MULTINOMIAL(${I})`,
  `SUMSQ(${new Array(25).fill('A1:A20000').join()})`,
  `MAX(${new Array(25).fill('A1:A20000').join()})`,
  `IF(${D},${A},0)`,
  `IFERROR(${A},0)`,
  `IFNA(${A},0)`,
  `CHOOSE(${I},1,2,3)`,
  `IFS(${D},1,TRUE,2)`,
  `SWITCH(${A},1,2,3,4,5)`,
  `LET(x,${A},LAMBDA(y,ISOMITTED(y))(x))`,
  `MAP(A1:A20000,LAMBDA(x,x+1))`,
  `REDUCE(0,A1:A20000,LAMBDA(a,x,a+x))`,
  `SCAN(0,A1:A20000,LAMBDA(a,x,a+x))`,
  `BYROW(A1:B20000,SUM)`,
  `BYCOL(A1:B20000*1,SUM)`,
  `MAKEARRAY(200,100,LAMBDA(r,c,r+c))`,
  `GROUPBY(A1:A20000,B1:B20000,SUM)`,
  `GROUPBY(${I},${B},SUM,0,1,-2,${D})`,
  `GROUPBY(I1:I3,I1:I3,SUM,0,1,${A})`,
  `PIVOTBY(${I},${D},${B},SUM,0,,,,,${D})`,
  `PIVOTBY(H1:H3000,H1:H3000,B1:B3000,PERCENTOF)`,
  `A1:A20000=TRANSPOSE(A1:A9)`,
  `${A}&${C}`,
].map((formula) => `=COUNTA(${formula})`);
