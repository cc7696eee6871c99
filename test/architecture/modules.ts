import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** One source file: where it is and what it reaches for. Paths are relative to the project, with "/". */
export interface Module {
  path: string;
  lines: number;
  /** Functions and methods, and how many lines each has. */
  functions: { name: string; lines: number }[];
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
  return {
    path,
    lines: source.split('\n').length - 1,
    functions: functionsOf(source.split('\n')),
    imports: [...new Set(specifiers.map((specifier) => resolve(path, specifier)))],
    readsEnvironment: ENVIRONMENT.test(source),
  };
}

// The formatter ends a function at the column where it begins, and nothing else of it is a brace there.
const FUNCTION = /^(?:export )?(?:default )?(?:async )?function\*? (\w+)/;
const METHOD = /^ {2}(?:(?:static|async|get|set) |\*)*(#?\w+)(?:<[^>]*>)?\(/;
const NO_METHOD = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'super']);

function functionsOf(lines: readonly string[]): Module['functions'] {
  const found: Module['functions'] = [];
  let isInClass = false;
  for (const [begin, line] of lines.entries()) {
    if (/^\S/.test(line)) isInClass = /\bclass\b/.test(line) || (isInClass && !line.startsWith('}'));
    const name = FUNCTION.exec(line)?.[1] ?? (isInClass ? METHOD.exec(line)?.[1] : undefined);
    if (name === undefined || NO_METHOD.has(name)) continue;
    const end = lines.indexOf(/^\S/.test(line) ? '}' : '  }', begin);
    if (end !== -1) found.push({ name, lines: end - begin + 1 });
  }
  return found;
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
