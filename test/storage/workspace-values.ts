/** Which tables of a statement for PostgreSQL are read or written without a value for their workspace. */
import { EVERYWHERE } from '../../src/storage/schema/everywhere.ts';

const TOKEN =
  /'(?:[^']|'')*'|"([^"]+)"|\$\d+|[a-z_][a-z0-9_$]*|\d+(?:\.\d+)?|::|->>?|[<>!]=|<>|\|\||--[^\n]*|[^\s]/gi;
/** After these words a table is named. */
const BEFORE_TABLE = new Set(['from', 'join', 'into', 'update', 'using']);
/** Words that end what a table is called, or the list of tables. */
const CLAUSE = new Set(
  'where group order limit offset having on union except intersect set values returning inner left right full cross join using for window select from with default'.split(
    ' ',
  ),
);
const BEGINS_QUERY = new Set(['select', 'with', 'insert', 'update', 'delete', 'values']);
const COMBINES = new Set(['union', 'except', 'intersect']);

/** One SELECT, INSERT, UPDATE or DELETE, without those inside it. */
interface Query {
  /** Its words; a query inside it is one word, "()". */
  readonly words: string[];
}

/**
 * The tables whose workspace a statement does not name: in each query of it, a table has `workspace_id = $n`, or has the
 * workspace of a table of the same query that has one. A value of an outer query or of a subquery does not count: a planner
 * that sends a statement to the servers of a workspace does not follow it.
 */
export function unnamedWorkspaces(sql: string): string[] {
  const words = wordsOf(sql);
  const made = new Set<string>(['excluded']);
  words.forEach((word, i) => {
    if (words[i + 1] !== 'as' && words[i + 1] !== '(') return;
    const end = words[i + 1] === '(' ? words.indexOf(')', i) + 1 : i + 1;
    if (words[end] !== 'as') return;
    const begin = ['materialized', 'not'].includes(words[end + 1] ?? '') ? words.indexOf('(', end) : end + 1;
    if (words[begin] === '(' && BEGINS_QUERY.has(words[begin + 1] ?? '')) made.add(word);
  });
  return [...new Set(queriesOf(words).flatMap((query) => unnamedIn(query, made)))].sort();
}

function wordsOf(sql: string): string[] {
  return Array.from(sql.matchAll(TOKEN), ([word, quoted]) => quoted ?? word.toLowerCase()).filter(
    (word) => !word.startsWith('--'),
  );
}

/** All queries of a statement, the inner ones as well. */
function queriesOf(words: readonly string[]): Query[] {
  const all: Query[] = [];
  const begin = (): Query => {
    const query = { words: [] };
    all.push(query);
    return query;
  };
  /** What each open parenthesis belongs to, and whether it holds a query. */
  const open: { query: Query; isQuery: boolean }[] = [];
  let query = begin();
  words.forEach((word, i) => {
    if (word === '(') {
      const isQuery = BEGINS_QUERY.has(words[i + 1] ?? '');
      open.push({ query, isQuery });
      if (isQuery) query = begin();
      else query.words.push(word);
    } else if (word === ')') {
      const { query: outer, isQuery } = open.pop() ?? { query, isQuery: false };
      query = outer;
      query.words.push(isQuery ? '()' : word);
    } else if (COMBINES.has(word)) query = begin();
    else query.words.push(word);
  });
  return all;
}

function unnamedIn({ words }: Query, made: ReadonlySet<string>): string[] {
  const tables = tablesOf(words, made);
  if (tables.size === 0) return [];
  const insertion = words.indexOf('into');
  const target = insertion < 0 ? undefined : words[insertion + 1];
  const read = new Map([...tables].filter(([alias]) => alias !== target));
  const named = namedAliases(words, read);
  if (target !== undefined && tables.has(target) && insertsValue(words, insertion, named)) named.add(target);
  return [...tables]
    .filter(([alias, table]) => !named.has(alias) && !EVERYWHERE.includes(table))
    .map(([, table]) => table);
}

/** The tables that a query names, by alias. */
function tablesOf(words: readonly string[], made: ReadonlySet<string>): Map<string, string> {
  const tables = new Map<string, string>();
  let depth = 0;
  /** The depth of the list of tables that is being read. */
  let list: number | undefined;
  words.forEach((word, i) => {
    if (word === '(') depth++;
    if (word === ')') depth--;
    const isList = word === ',' && list === depth;
    if (BEFORE_TABLE.has(word) && words[i - 1] !== 'distinct') list = depth;
    else if (CLAUSE.has(word) && list === depth) list = undefined;
    else if (!isList) return;
    if (!isList && !BEFORE_TABLE.has(word)) return;
    let at = i + 1;
    while (words[at] === 'lateral' || words[at] === 'only') at++;
    const table = words[at];
    if (table === undefined || !/^[a-z_]/.test(table) || CLAUSE.has(table)) return;
    if (made.has(table) || /^(?:pg_|information_schema)/.test(table)) return;
    // A function, unless it is the list of columns of an insertion.
    if (words[at + 1] === '(' && word !== 'into') return;
    const alias = words[at + 1] === 'as' ? words[at + 2] : words[at + 1];
    tables.set(alias !== undefined && /^[a-z_]/.test(alias) && !CLAUSE.has(alias) ? alias : table, table);
  });
  return tables;
}

/** The aliases whose workspace is a value, directly or by equality with another of this query. */
function namedAliases(words: readonly string[], tables: ReadonlyMap<string, string>): Set<string> {
  const named = new Set<string>();
  const equal: [string, string][] = [];
  words.forEach((word, i) => {
    if (word !== '=') return;
    const left = columnBefore(words, i, tables);
    const right = columnAfter(words, i, tables);
    if (left && right) equal.push([left, right]);
    else if (left && isValue(words, i + 1)) named.add(left);
    else if (right && /^\$\d+$/.test(words[i - 1] ?? '')) named.add(right);
  });
  for (let before = -1; before !== named.size; ) {
    before = named.size;
    for (const [a, b] of equal) {
      if (named.has(a)) named.add(b);
      if (named.has(b)) named.add(a);
    }
  }
  return named;
}

const only = (tables: ReadonlyMap<string, string>) => (tables.size === 1 ? [...tables.keys()][0] : undefined);

/** The alias of `alias.workspace_id` before a place, as far as it is of this query. */
function columnBefore(words: readonly string[], at: number, tables: ReadonlyMap<string, string>) {
  if (words[at - 1] !== 'workspace_id') return undefined;
  if (words[at - 2] !== '.') return only(tables);
  const alias = words[at - 3] ?? '';
  return tables.has(alias) ? alias : undefined;
}

function columnAfter(words: readonly string[], at: number, tables: ReadonlyMap<string, string>) {
  if (words[at + 1] === 'workspace_id') return only(tables);
  const alias = words[at + 1] ?? '';
  return words[at + 2] === '.' && words[at + 3] === 'workspace_id' && tables.has(alias) ? alias : undefined;
}

/** Whether a bound value, cast or not, begins here. */
function isValue(words: readonly string[], at: number): boolean {
  if (words[at] === 'cast' && words[at + 1] === '(') return isValue(words, at + 2);
  return /^\$\d+$/.test(words[at] ?? '');
}

/**
 * Whether an insertion gives the workspace as a value in each of its VALUES, or takes it from a table that has one: the rows
 * of a SELECT that gives a value are collected on the coordinator of a cluster.
 */
function insertsValue(words: readonly string[], at: number, named: ReadonlySet<string>): boolean {
  if (words[at + 2] !== '(') return false;
  const end = words.indexOf(')', at + 2);
  const place = partsOf(words.slice(at + 3, end)).findIndex(([word]) => word === 'workspace_id');
  if (place < 0) return false;
  const rest = words.slice(end + 1);
  const begin = rest.findIndex((word) => word === 'values' || word === 'select');
  if (begin < 0) return false;
  const source = rest.slice(begin + 1);
  if (rest[begin] === 'select') {
    const from = depthZero(source, 'from');
    return takesWorkspace(partsOf(source.slice(0, from))[place] ?? [], named);
  }
  const conflict = depthZero(source, 'on');
  const returning = depthZero(source, 'returning');
  const rows = partsOf(source.slice(0, Math.min(conflict, returning)));
  return rows.every((row) => isValue(partsOf(row.slice(1, -1))[place] ?? [], 0));
}

function takesWorkspace(words: readonly string[], named: ReadonlySet<string>): boolean {
  if (words[1] === '.') return words[2] === 'workspace_id' && named.has(words[0] ?? '');
  return words[0] === 'workspace_id' && named.size === 1;
}

/** The place of the first such word outside of parentheses; the end where there is none. */
function depthZero(words: readonly string[], sought: string): number {
  let depth = 0;
  for (const [i, word] of words.entries()) {
    if (word === '(') depth++;
    if (word === ')') depth--;
    if (depth === 0 && word === sought) return i;
  }
  return words.length;
}

/** What commas outside of parentheses separate. */
function partsOf(words: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    if (word === '(') depth++;
    if (word === ')') depth--;
    if (depth === 0 && word === ',') parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}
