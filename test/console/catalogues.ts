/** Reads the texts of the console from its sources, without running them. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'acorn';
import { transformSync } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');

interface Node {
  type: string;
  [name: string]: unknown;
}

export interface Source {
  path: string;
  tree: Node;
}

/** All sources of the console as trees of plain JavaScript. */
export function sourcesOfConsole(): Source[] {
  return globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).map((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8');
    const { code } = transformSync(source, { loader: path.endsWith('x') ? 'tsx' : 'ts', jsx: 'automatic' });
    return { path, tree: parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Node };
  });
}

/** The texts in each language that the catalogues have: literals, and the literal parts of what is put together. */
export function textsByLanguage(sources: readonly Source[]): { en: string[]; de: string[] } {
  const found = { en: [] as string[], de: [] as string[] };
  for (const { path, tree } of sources) {
    const language = /texts\.(en|de)\.ts$/.exec(path)?.[1] as 'en' | 'de' | undefined;
    if (language) found[language].push(...literalsIn(tree));
    for (const node of nodesIn(tree)) {
      if (node.type !== 'Property') continue;
      const { key, value } = node as unknown as { key: { name?: string }; value: Node };
      if ((key.name === 'en' || key.name === 'de') && value.type === 'ObjectExpression')
        found[key.name].push(...literalsIn(value));
    }
  }
  return found;
}

/** What elements show, or are called, without a catalogue. */
export function textsOfElements({ path, tree }: Source): string[] {
  const found: string[] = [];
  for (const node of nodesIn(tree)) {
    if (node.type !== 'CallExpression') continue;
    const { callee, arguments: given } = node as unknown as { callee: { name?: string }; arguments: Node[] };
    if (!/^_?jsxs?(?:DEV)?$/.test(callee.name ?? '')) continue;
    const { properties = [] } = (given[1] ?? {}) as { properties?: Node[] };
    for (const property of properties) {
      const { key, value } = property as unknown as { key?: { name?: string; value?: string }; value?: Node };
      const name = String(key?.name ?? key?.value);
      if (!/^(?:children|aria-label|aria-description|title|placeholder|label|alt|hint)$/.test(name) || !value)
        continue;
      for (const text of shownIn(value)) if (/\p{L}{2}/u.test(text)) found.push(`${path}: ${name} "${text}"`);
    }
  }
  return found;
}

/** The texts that a value of an element shows by itself. */
function shownIn(value: Node): string[] {
  if (value.type === 'Literal') return typeof value.value === 'string' ? [value.value] : [];
  if (value.type === 'TemplateLiteral')
    return (value.quasis as { value: { cooked: string } }[]).map((part) => part.value.cooked);
  if (value.type === 'ArrayExpression') return (value.elements as Node[]).flatMap(shownIn);
  if (value.type === 'ConditionalExpression')
    return [value.consequent as Node, value.alternate as Node].flatMap(shownIn);
  if (value.type === 'LogicalExpression') return shownIn(value.right as Node);
  return [];
}

function literalsIn(tree: Node): string[] {
  const found: string[] = [];
  for (const node of nodesIn(tree)) {
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value);
    if (node.type === 'TemplateElement') found.push((node.value as { cooked: string }).cooked);
  }
  return found;
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* nodesIn(one);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value) yield value as Node;
    for (const part of Object.values(value)) if (typeof part === 'object') yield* nodesIn(part);
  }
}
