/** The parts of an OpenAPI document and of its JSON schemas that requests are made from. */
export interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  not?: { pattern: string };
  format?: string;
  examples?: unknown[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

export interface Declared {
  method: string;
  path: string;
  id: string;
  parameters: Parameter[];
  /** By media type. */
  bodies: Record<string, { schema?: Schema }>;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

/** Every operation of the document. */
export function operationsIn(document: { paths: Record<string, Record<string, Operation>> }): Declared[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      id: operationId,
      parameters,
      bodies: requestBody?.content ?? {},
    })),
  );
}
