import type { Module } from './modules.ts';

/** What may be built on what, beyond the rules that hold everywhere. */
export interface Layout {
  /** Area to the areas whose service it may call. */
  arrows: Readonly<Record<string, readonly string[]>>;
  /** Files of src/storage and src/blobs that are no engine: what everyone may know of them. */
  ports: readonly string[];
  /** Packages that the project says it depends on at run time. */
  packages: readonly string[];
  /** Packages that only building and testing need. */
  packagesToBuild?: readonly string[];
}

/** Answers one sentence for every place that breaks the rule. */
export type Rule = (modules: readonly Module[], layout: Layout) => string[];

interface Edge {
  from: string;
  to: string;
}

type Role = 'operations' | 'service' | 'store';

const MAX_LINES = 400;
const MAX_LINES_OF_FUNCTION = 60;
const ENGINE_PACKAGES = /^(?:node:sqlite|pg|@aws-sdk\/.*)$/;

/** Each rule of the layout by its name. */
export const RULES: Readonly<Record<string, Rule>> = {
  'what every operation shares knows no area': forbid(
    (from) => isUnder(from, 'contract', 'once', 'formats', 'formulas', 'text', 'turns'),
    (to) => isUnder(to, 'areas', 'server', 'start', 'archive', 'commands'),
  ),
  'the contract knows neither who serves it nor how answers are kept': forbid(
    (from) => isUnder(from, 'contract'),
    (to) => isUnder(to, 'once', 'server'),
  ),
  'an area knows neither who serves it nor how answers are kept': forbid(
    (from) => isUnder(from, 'areas'),
    (to) => isUnder(to, 'once', 'server'),
  ),
  'what every operation shares knows no engine': forbid(
    (from) => isUnder(from, 'contract', 'once', 'server', 'formats', 'formulas', 'text', 'turns'),
    (to, layout) => isEngine(to, layout) || ENGINE_PACKAGES.test(to),
  ),
  'engines know neither the contract nor the product': forbid(
    (from) => isUnder(from, 'storage', 'blobs'),
    (to) => isUnder(to, 'contract', 'once', 'areas', 'formats', 'server', 'start', 'archive', 'commands'),
  ),
  'the platform knows nothing of the product': forbid(
    (from) => isUnder(from, 'platform'),
    (to) => to.startsWith('src/') && !isUnder(to, 'platform'),
  ),
  'the client knows only itself': forbid(
    (from) => from.startsWith('client/'),
    (to) => !to.startsWith('client/'),
  ),
  'the client is used by the command line and the console alone': forbid(
    (from) => !/^(?:client|console)\//.test(from) && !isUnder(from, 'commands'),
    (to) => to.startsWith('client/'),
  ),
  'the console knows the client and nothing of the server': forbid(
    (from) => from.startsWith('console/'),
    (to) => to.startsWith('src/') || to.startsWith('node:'),
  ),
  'the server knows nothing of the sources of the console': forbid(
    (from) => !from.startsWith('console/'),
    (to) => to.startsWith('console/'),
  ),
  'a store calls no service and no operation': forbid(
    (from) => roleOf(from) === 'store',
    (to) => roleOf(to) === 'service' || roleOf(to) === 'operations',
  ),
  'a service calls no operation': forbid(
    (from) => roleOf(from) === 'service',
    (to) => roleOf(to) === 'operations',
  ),
  'an operation reaches no store': forbid(
    (from) => roleOf(from) === 'operations',
    (to) => roleOf(to) === 'store',
  ),
  'a service passes on only what other rooms call': servicesPassOnForOthers,
  'what the use cases of an area work with is of no other room': dependenciesAreOfTheirArea,
  'servers and commands call services': forbid(
    (from) => isUnder(from, 'server', 'commands'),
    (to) => areaOf(to) !== undefined && !isService(to),
  ),
  'only the wiring constructs engines': forbid(
    (from) => from !== 'src/start/composition.ts' && !isUnder(from, 'storage', 'blobs'),
    isEngine,
  ),
  'areas meet through services, along the arrows': areasMeetThroughServices,
  'the arrows between areas run in no circle': arrowsAreAcyclic,
  'formulas are read through one module': forbid(
    (from) => from !== 'src/formulas/syntax/formula-library.ts',
    (to) => packageOf(to) === '@borgar/fx',
  ),
  'only the configuration reads the environment': onlyConfigReadsEnvironment,
  'every package is a declared dependency': packagesAreDeclared,
  'no import runs in a circle': importsAreAcyclic,
  'no file is too long to read': filesAreShort,
  'no function is too long to read': functionsAreShort,
};

function forbid(from: (path: string) => boolean, to: (path: string, layout: Layout) => boolean): Rule {
  return (modules, layout) =>
    edgesOf(modules)
      .filter((edge) => from(edge.from) && to(edge.to, layout))
      .map(sentence);
}

function areasMeetThroughServices(modules: readonly Module[], { arrows }: Layout): string[] {
  return edgesOf(modules)
    .filter(({ from, to }) => {
      const [here, there] = [areaOf(from), areaOf(to)];
      if (here === undefined || there === undefined || here === there) return false;
      return !isService(to) || !arrows[here]?.includes(there);
    })
    .map(sentence);
}

function servicesPassOnForOthers(modules: readonly Module[]): string[] {
  return servicesAndOthers(modules).flatMap(({ path, forwards, others }) =>
    forwards
      .filter(
        ({ className, name }) => !others.some(({ reaches }) => reaches.has(`${heldAs(className)}.${name}`)),
      )
      .map(({ name }) => `${path} passes ${name} on for its own area alone`),
  );
}

function dependenciesAreOfTheirArea(modules: readonly Module[]): string[] {
  return servicesAndOthers(modules).flatMap(({ classes, others }) =>
    classes.flatMap((className) => {
      const reached = `${heldAs(className)}.dependencies`;
      return others
        .filter(({ reaches }) => reaches.has(reached))
        .map(({ path }) => `${path} reaches ${reached}`);
    }),
  );
}

/** The modules of services, each with the modules of all other rooms. */
function servicesAndOthers(modules: readonly Module[]): (Module & { others: Module[] })[] {
  const product = modules.filter(({ path }) => path.startsWith('src/'));
  return product
    .filter(({ path }) => roleOf(path) === 'service')
    .map((service) => ({
      ...service,
      others: product.filter(({ path }) => areaOf(path) !== areaOf(service.path)),
    }));
}

/** Rooms name a service that they hold by its class: `mail` for a MailService. */
function heldAs(className: string): string {
  return className.charAt(0).toLowerCase() + className.slice(1).replace(/Service$/, '');
}

function arrowsAreAcyclic(_modules: readonly Module[], { arrows }: Layout): string[] {
  return circles(new Map(Object.entries(arrows)));
}

function importsAreAcyclic(modules: readonly Module[]): string[] {
  return circles(new Map(modules.map(({ path, imports }) => [path, imports])));
}

function onlyConfigReadsEnvironment(modules: readonly Module[]): string[] {
  return modules
    .filter(({ path, readsEnvironment }) => readsEnvironment && path !== 'src/start/config.ts')
    .map(({ path }) => `${path} reads the environment`);
}

function packagesAreDeclared(
  modules: readonly Module[],
  { packages, packagesToBuild = [] }: Layout,
): string[] {
  return edgesOf(modules)
    .filter(({ from, to }) => {
      // What the console is made of is needed to build it.
      const declared = from.startsWith('console/') ? [...packages, ...packagesToBuild] : packages;
      return !/^(?:node:|src\/|client\/|console\/)/.test(to) && !declared.includes(packageOf(to));
    })
    .map(sentence);
}

function filesAreShort(modules: readonly Module[]): string[] {
  return modules
    .filter(({ path, lines }) => lines > MAX_LINES && !path.includes('/generated/'))
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

function functionsAreShort(modules: readonly Module[]): string[] {
  return modules
    .filter(({ path }) => !path.includes('/generated/'))
    .flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > MAX_LINES_OF_FUNCTION)
        .map(({ name, lines }) => `${name} of ${path} has ${lines} lines`),
    );
}

function edgesOf(modules: readonly Module[]): Edge[] {
  return modules.flatMap(({ path, imports }) => imports.map((to) => ({ from: path, to })));
}

function sentence({ from, to }: Edge): string {
  return `${from} imports ${to}`;
}

function isUnder(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path.startsWith(`src/${folder}/`));
}

function isEngine(path: string, { ports }: Layout): boolean {
  return isUnder(path, 'storage', 'blobs') && !ports.includes(path);
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function areaOf(path: string): string | undefined {
  return /^src\/areas\/([^/]+)\//.exec(path)?.[1];
}

/** A role is a word of the file's name or folder: store.ts, message-store.ts, operations/flags.ts. */
function roleOf(path: string): Role | undefined {
  const [, inside] = /^src\/areas\/[^/]+\/(.+)\.ts$/.exec(path) ?? [];
  return /\b(operations|service|store)\b/.exec(inside ?? '')?.[1] as Role | undefined;
}

function isService(path: string): boolean {
  return /^src\/areas\/[^/]+\/service\.ts$/.test(path);
}

/** Every way that leads back to where it began, written as a path. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, way: readonly string[]): void => {
    const start = way.indexOf(node);
    if (start >= 0) found.push([...way.slice(start), node].join(' → '));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}
