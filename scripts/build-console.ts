/**
 * Builds the console into `console/dist/`: scripts with the hash of their content in their names, one style sheet, each also
 * compressed, and `manifest.json`, which names the files of the page. Does nothing where the sources have not changed.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, stop } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const BUILT = join(ROOT, 'console', 'dist');
const MANIFEST = join(BUILT, 'manifest.json');
const SOURCES = [
  'console/src/**/*.{ts,tsx,css}',
  'client/src/**/*.ts',
  // The page itself is kept with its files.
  'src/server/http/console/page.ts',
  'package-lock.json',
  'scripts/build-console.ts',
];

/**
 * `main` and `styles` are the files that the page names, `serviceWorker` is the script that keeps them; `sources` is the digest
 * of what was built.
 */
interface ConsoleManifest {
  main: string;
  styles: string;
  serviceWorker: string;
  packages: string[];
  sources: string;
}

const OPTIONS = {
  absWorkingDir: ROOT,
  outdir: BUILT,
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  platform: 'browser',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions;

/** What react-aria says to screen readers, a file for each of some 30 languages; those of the console are kept. */
const LANGUAGES = /\/react-aria\/dist\/private\/intl\/[^/]+\/\w+-\w+\.mjs$/;
const OUR_LANGUAGES = /(?:en-US|de-DE)\.mjs$/;

/** For another language, react-aria falls back to English where it has no texts. */
const WITHOUT_OTHER_LANGUAGES: Plugin = {
  name: 'without other languages',
  setup: ({ onLoad }) =>
    onLoad({ filter: LANGUAGES }, ({ path }) =>
      OUR_LANGUAGES.test(path) ? undefined : { contents: 'export default undefined;' },
    ),
};

/** A file of a package, and which. */
const OF_PACKAGE = /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//;

/**
 * Resolves to the names of the packages that are in the files of the console. Rejects where the sources cannot be built; what
 * was built before is then still there.
 */
export async function buildConsole(): Promise<string[]> {
  const sources = digestOfSources();
  const built = readBuilt();
  if (built?.sources === sources) return built.packages;
  const pdfWorker = await buildPdfWorker();
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: { main: 'console/src/main.tsx' },
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    define: {
      'process.env.NODE_ENV': '"production"',
      PDF_WORKER: JSON.stringify(`/console/assets/${basename(pdfWorker.path)}`),
    },
    plugins: [WITHOUT_OTHER_LANGUAGES],
    metafile: true,
  });
  const main = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint === 'console/src/main.tsx',
  );
  if (!main) throw new Error('The console has lost its entry');
  const styles = stylesOf(outputFiles, basename(main[1].cssBundle ?? ''));
  const serviceWorker = await buildServiceWorker(sources, [...firstScripts(metafile, main[0]), styles.name]);
  await stop();
  const files = [...outputFiles.filter(({ path }) => !path.endsWith('.css')), serviceWorker, pdfWorker];
  rmSync(BUILT, { recursive: true, force: true });
  mkdirSync(BUILT, { recursive: true });
  for (const { path, contents } of files) writeCompressed(basename(path), contents);
  writeCompressed(styles.name, styles.contents);
  const packages = packagesOf(metafile);
  const manifest: ConsoleManifest = {
    main: basename(main[0]),
    styles: styles.name,
    serviceWorker: basename(serviceWorker.path),
    packages,
    sources,
  };
  // Last: a build that broke off is made again.
  writeFileSync(MANIFEST, JSON.stringify(manifest));
  return packages;
}

/** The names of the script that the page names, and of those without which it does not begin. */
function firstScripts({ outputs }: Metafile, main: string, found: Set<string> = new Set()): string[] {
  found.add(main);
  for (const { path, kind } of outputs[main]?.imports ?? [])
    if (kind === 'import-statement' && !found.has(path)) firstScripts({ inputs: {}, outputs }, path, found);
  return [...found].map((path) => basename(path));
}

/** The worker that reads PDF files: one file, for Firefox loads no others into a worker under the policy of the page. */
async function buildPdfWorker(): Promise<OutputFile> {
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: { 'pdf-worker': 'pdfjs-dist/build/pdf.worker.mjs' },
    format: 'esm',
  });
  const [script] = outputFiles;
  if (!script) throw new Error('The console has lost the worker that reads PDF files');
  return script;
}

/** The script that keeps the page and those of its files that it begins with: it changes with each build. */
async function buildServiceWorker(sources: string, names: readonly string[]): Promise<OutputFile> {
  const shell = ['/', ...names.map((name) => `/console/assets/${name}`)];
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: ['console/src/service-worker/service-worker.ts'],
    format: 'iife',
    define: { BUILD: JSON.stringify(sources.slice(0, 16)), SHELL: JSON.stringify(shell) },
  });
  const [script] = outputFiles;
  if (!script) throw new Error('The console has lost the script that keeps it');
  return script;
}

/** Only those of which something is left in the files. */
function packagesOf({ outputs }: Metafile): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const names = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [OF_PACKAGE.exec(path)?.[1]] : [],
  );
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/**
 * One style sheet for all pages: a script that is loaded later cannot bring its styles along, and all are small. Every rule is
 * in a layer, and the first sheet says how the layers are ordered, so the order of the others does not matter.
 */
function stylesOf(files: readonly OutputFile[], first: string): { name: string; contents: Uint8Array } {
  const sheets = files.filter(({ path }) => path.endsWith('.css'));
  const main = sheets.find(({ path }) => basename(path) === first);
  if (!main) throw new Error('The console has lost the sheet that names the layers');
  const texts = [main, ...sheets.filter((sheet) => sheet !== main)].map(({ text }) => text.trim());
  const contents = Buffer.from(texts.join('\n'));
  return { name: `styles-${digest(contents).slice(0, 8)}.css`, contents };
}

function writeCompressed(name: string, contents: Uint8Array): void {
  const path = join(BUILT, name);
  writeFileSync(path, contents);
  writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(contents));
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort()) {
    hash.update(`${path}\0`);
    hash.update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex');
}

function readBuilt(): ConsoleManifest | undefined {
  return existsSync(MANIFEST) ? JSON.parse(readFileSync(MANIFEST, 'utf8')) : undefined;
}

function digest(contents: Uint8Array): string {
  return createHash('sha256').update(contents).digest('hex');
}

if (import.meta.main) await buildConsole();
