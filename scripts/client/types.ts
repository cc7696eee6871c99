import type { Schema } from './document.ts';

/** Named types, as TypeScript, in the order in which they were first needed. */
export class NamedTypes {
  readonly #texts = new Map<string, string>();

  /** The expression of a schema's type; one that has a title is declared under it and answered by its name. */
  expressionOf(schema: Schema): string {
    if (schema.title === undefined) return this.#anonymous(schema);
    this.declare(schema.title, schema);
    return schema.title;
  }

  /** Declares a type. Throws where the name stands for another one already. */
  declare(name: string, schema: Schema): void {
    const text = `${comment(schema.description, '')}${this.#declaration(name, schema)}`;
    const known = this.#texts.get(name);
    if (known !== undefined && known !== text) throw new Error(`Two types are named ${name}`);
    this.#texts.set(name, text);
  }

  get names(): string[] {
    return [...this.#texts.keys()];
  }

  toString(): string {
    return [...this.#texts.values()].join('\n');
  }

  #declaration(name: string, schema: Schema): string {
    const type = this.#anonymous(schema);
    if (type.startsWith('{')) return `export interface ${name} ${type}\n`;
    return `export type ${name} = ${type};\n`;
  }

  #anonymous(schema: Schema): string {
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => literal(value)).join(' | ');
    if (schema.properties) return this.#members(schema);
    if (schema.anyOf) return schema.anyOf.map((choice) => this.expressionOf(choice)).join(' | ');
    if (schema.type === 'array') return this.#list(schema.items ?? {});
    if (schema.type === 'object') return 'Record<string, unknown>';
    return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown');
  }

  #list(items: Schema): string {
    const item = this.expressionOf(items);
    const isChoice = items.title === undefined && (items.anyOf ?? items.enum) !== undefined;
    return isChoice ? `(${item})[]` : `${item}[]`;
  }

  #members({ properties = {}, required = [], additionalProperties }: Schema): string {
    const members = Object.entries(properties).map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${comment(schema.description)}${name}${mark}: ${this.expressionOf(schema)};\n`;
    });
    if (members.length === 0)
      return `Record<string, ${additionalProperties === false ? 'never' : 'unknown'}>`;
    return `{\n${indented(members.join(''))}}`;
  }
}

/** A documentation comment; nothing where there is nothing to say. */
export function comment(text: string | undefined, otherwise = ''): string {
  if (!text) return otherwise;
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

/** The same text two columns further. */
export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** A value as TypeScript writes it. */
export function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value);
}
