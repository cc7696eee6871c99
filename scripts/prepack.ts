/** Makes what `npm pack` puts into the package beside files of the repository: the compiled program, the console, and THIRD-PARTY-NOTICES. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildConsole } from './build-console.ts';
import { compile } from './compile.ts';

const ROOT = resolve(import.meta.dirname, '..');

const HEAD = `What others have made and this package holds copies of, with the licences that it comes under.
Packages that are installed beside this one hold theirs themselves.
`;

/** Data of others that stand in sources of the program. */
const DATA = `Unicode CLDR: the time zones of Windows (Unicode-3.0)

${readFileSync(join(import.meta.dirname, 'licences', 'Unicode-3.0.txt'), 'utf8')}`;

/** Throws where a package tells no licence or has no text of it. */
function noticeOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (typeof license !== 'string' || file === undefined)
    throw new Error(`${name} goes into the package, and its licence is not in its folder`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

const packages = [...new Set([...(await compile()), ...(await buildConsole())])].sort();
const notices = [HEAD, ...packages.map(noticeOf), DATA].map((notice) => `${notice.trimEnd()}\n`);
writeFileSync(join(ROOT, 'THIRD-PARTY-NOTICES'), notices.join(`\n${'-'.repeat(78)}\n\n`));
