import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** One source file: where it is and what it reaches for. Paths are relative to the project, with "/". */
export interface Module {
  path: string;
  lines: number;
  /** Functions and methods, and how many lines each has. */
  functions: { name: string; lines: number }[];
  classes: string[];
  /** Methods whose body is one call with values at hand: they only pass it on. */
  forwards: { className: string; name: string }[];
  /** What is reached by a dot, with what it is reached by, such as "mail.receive". */
  reaches: ReadonlySet<string>;
  /** Project paths, and names of packages as they are written; type imports count like all others. */
  imports: string[];
  readsEnvironment: boolean;
}

// Statements begin a line, which a sentence in a comment or a template does not: no parser is needed.
const IMPORTS = [
  /^(?:import|export)\b[^;'"`]*?\bfrom\s+['"]([^'"]+)['"]/gm,
  /^import\s+['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
  /\bnew URL\(\s*['"](\.[^'"]+\.ts)['"]/g,
];
const ENVIRONMENT = /\bprocess\.env\b|\bprocess\[['"]env|\benv\b[^;'"`]*\bfrom\s+['"]node:process['"]/;

/** Reads what one file imports: statically, dynamically, as a worker, as types. */
export function parseModule(path: string, source: string): Module {
  const specifiers = IMPORTS.flatMap((pattern) =>
    [...source.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
  const lines = source.split('\n');
  return {
    path,
    lines: lines.length - 1,
    functions: functionsOf(lines).map(({ name, lines }) => ({ name, lines: lines.length })),
    classes: [...source.matchAll(/^(?:export )?class (\w+)/gm)].map(([, name = '']) => name),
    forwards: functionsOf(lines).flatMap(({ className, name, lines }) =>
      className !== undefined && isForward(lines) ? [{ className, name }] : [],
    ),
    reaches: new Set(
      [
        ...lines
          .filter((line) => !COMMENT.test(line))
          .join('\n')
          .matchAll(REACHED),
      ].map(([, by, name]) => `${by}.${name}`),
    ),
    imports: [...new Set(specifiers.map((specifier) => resolve(path, specifier)))],
    readsEnvironment: ENVIRONMENT.test(source),
  };
}

// The formatter ends a function at the column where it begins, and nothing else of it is a brace there.
const FUNCTION = /^(?:export )?(?:default )?(?:async )?function\*? (\w+)/;
const METHOD = /^ {2}(?:(?:static|async|get|set) |\*)*(#?\w+)(?:<[^>]*>)?\(/;
const NO_METHOD = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'super']);

const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const REACHED = /(\w+)(?:\(\))?\s*\??\.(?=(\w+))/g;
/** One call, of which no argument is a call or a function. */
const PASSED_ON = /^(?:return |await |yield\* )*[\w#.]+(?:<[^()]*>)?\([^()]*\);$/;

interface FoundFunction {
  /** Of a method. */
  className: string | undefined;
  name: string;
  lines: readonly string[];
}

function functionsOf(lines: readonly string[]): FoundFunction[] {
  const found: FoundFunction[] = [];
  let className: string | undefined;
  for (const [begin, line] of lines.entries()) {
    if (/^\S/.test(line))
      className = /\bclass (\w+)/.exec(line)?.[1] ?? (line.startsWith('}') ? undefined : className);
    const isMethod = /^\s/.test(line);
    const name = isMethod ? className && METHOD.exec(line)?.[1] : FUNCTION.exec(line)?.[1];
    if (name === undefined || NO_METHOD.has(name)) continue;
    const end = lines.indexOf(isMethod ? '  }' : '}', begin);
    if (end === -1) continue;
    found.push({ className: isMethod ? className : undefined, name, lines: lines.slice(begin, end + 1) });
  }
  return found;
}

function isForward(lines: readonly string[]): boolean {
  const opening = lines.findIndex((line) => /^ {2}\S.*\{$/.test(line));
  return PASSED_ON.test(
    lines
      .slice(opening + 1, -1)
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

/** Every TypeScript file of the product, of the client and of the console in the project at `root`. */
export function readModules(root: string): Module[] {
  return globSync(['src/**/*.ts', 'client/src/**/*.ts', 'console/src/**/*.{ts,tsx}'], { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .sort()
    .map((path) => parseModule(path, readFileSync(join(root, path), 'utf8')));
}

function resolve(importer: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(importer), specifier) : specifier;
}
