import type { Schema } from './schema.ts';

/** One step of the schema, forward only. It is kept whole or not at all, under its name. */
export interface Migration {
  readonly name: string;
  up(schema: Schema): Promise<void>;
}
