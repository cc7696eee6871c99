import type { IncomingHttpHeaders } from 'node:http';
import type { TSchema } from 'typebox';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import type { Operation } from '../../contract/operation.ts';

/** A header that an operation declares, as an argument of a call. */
interface HeaderArgument {
  /** In lower case, as it is in a request. */
  header: string;
  schema: TSchema;
  isRequired: boolean;
}

/** The headers of an operation by the names of their arguments: If-Match is if_match. */
export function headerArguments({ headers }: Operation): Map<string, HeaderArgument> {
  const required: readonly string[] = headers?.required ?? [];
  return new Map(
    Object.entries(headers?.properties ?? {}).map(([name, schema]) => {
      const header = name.toLowerCase();
      return [header.replaceAll('-', '_'), { header, schema, isRequired: required.includes(name) }];
    }),
  );
}

/** The headers of a request, of those arguments that are given. */
export function headersOf(operation: Operation, given: ToolArguments): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const [name, { header }] of headerArguments(operation)) {
    const value = given[name];
    if (value === undefined) continue;
    const words = typeof value === 'string' ? value : JSON.stringify(value);
    headers[header] = name === 'if_none_match' ? asTag(words) : words;
  }
  return headers;
}

/** A state as answers have it is bare, and the header names entity tags. */
function asTag(state: string): string {
  return state.includes('"') || state.trim() === '*' ? state : `"${state}"`;
}
