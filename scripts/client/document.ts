/** A JSON Schema, as far as the interface uses it. */
export interface Schema {
  title?: string;
  description?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

type Contents = Record<string, { schema?: Schema }>;

export interface DescribedOperation {
  operationId: string;
  tags: [area: string];
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { content: Contents };
  responses: Record<string, { description?: string; content?: Contents }>;
}

/** The OpenAPI document of the interface, as far as the client is made from it. */
export interface OpenApiDocument {
  tags: { name: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: { Error: Schema } };
}

/** The schema of `data` in the answer of an operation that answers JSON. */
export function dataOf({ responses }: DescribedOperation): Schema | undefined {
  return successOf(responses)?.['application/json']?.schema?.properties?.data;
}

/** Whether an operation answers bytes. */
export function answersBytes({ responses }: DescribedOperation): boolean {
  const contents = successOf(responses);
  return contents !== undefined && !('application/json' in contents);
}

/** Whether an operation answers page by page. */
export function isPaged({ responses }: DescribedOperation): boolean {
  const envelope = successOf(responses)?.['application/json']?.schema;
  return envelope?.properties?.pagination !== undefined;
}

function successOf(responses: DescribedOperation['responses']): Contents | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content;
}
