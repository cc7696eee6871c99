import type { OpenApiDocument } from './document.ts';
import { camel, methodOf, type PlacedOperation, pascal } from './methods.ts';
import { indented, literal, NamedTypes } from './types.ts';

const NOTE =
  '// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.\n';

/** The files of the client that follow from the OpenAPI document: name to text. Throws where names meet. */
export function clientFiles(document: OpenApiDocument): Record<string, string> {
  const operations = placedOperations(document);
  const areas = document.tags.map(({ name }) => name);
  const files: Record<string, string> = { 'error-code.ts': errorCodes(document) };
  const taken = new Set<string>();
  for (const area of areas) {
    const types = new NamedTypes();
    files[`${fileName(area)}.ts`] = areaFile(
      area,
      operations.filter(({ operation }) => operation.tags[0] === area),
      types,
    );
    for (const name of types.names) {
      if (taken.has(name)) throw new Error(`Two areas have a type named ${name}`);
      taken.add(name);
    }
  }
  files['areas.ts'] = areas.map((area) => `export * from './${fileName(area)}.ts';\n`).join('');
  files['areas.ts'] = `${NOTE}${files['areas.ts']}`;
  return files;
}

function placedOperations({ paths }: OpenApiDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function areaFile(area: string, operations: readonly PlacedOperation[], types: NamedTypes): string {
  const methods = operations.map((placed) => methodOf(placed, types)).join('\n');
  return [
    NOTE,
    imports(methods),
    '\n',
    `${types}\n`,
    `/** ${area}: one method for each operation. */\n`,
    `export class ${pascal(camel(area))} {\n`,
    '  protected readonly requests: Requests;\n\n',
    '  constructor(requests: Requests) {\n    this.requests = requests;\n  }\n\n',
    indented(methods),
    '}\n',
  ].join('');
}

function imports(methods: string): string {
  return [
    methods.includes('Promise<Content>') ? "import type { Content } from '../content.ts';\n" : '',
    methods.includes('Pages<') ? "import type { Pages } from '../pages.ts';\n" : '',
    methods.includes('path`') ? "import { path } from '../path.ts';\n" : '',
    `import type { ${methods.includes('Bytes') ? 'Bytes, ' : ''}RequestOptions, Requests } from '../requests.ts';\n`,
  ].join('');
}

function errorCodes({ components }: OpenApiDocument): string {
  const codes = components.schemas.Error.properties?.error?.properties?.code?.enum ?? [];
  const lines = codes.map((code) => `  | ${literal(code)}`).join('\n');
  return `${NOTE}\n/** The codes of refusals. */\nexport type ErrorCode =\n${lines};\n`;
}

function fileName(area: string): string {
  return area.toLowerCase().replaceAll(' ', '-');
}
