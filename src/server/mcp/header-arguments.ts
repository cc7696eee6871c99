import type { IncomingHttpHeaders } from 'node:http';
import type { TSchema } from 'typebox';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import type { Operation, Problem } from '../../contract/operation.ts';
import { refuse } from '../../contract/validation.ts';

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

/**
 * The headers of a request, of those arguments that are given. Throws ApiError validation_failed for what is no text: a list
 * that is written as one would be several tags to the header, perhaps "*" among them.
 */
export function headersOf(operation: Operation, given: ToolArguments): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  const problems: Problem[] = [];
  for (const [name, { header }] of headerArguments(operation)) {
    const value = given[name];
    if (value === undefined) continue;
    if (typeof value === 'string') headers[header] = name === 'if_none_match' ? asTag(value) : value;
    else problems.push({ parameter: name, code: 'wrong_type', message: 'Give a text.' });
  }
  refuse(problems);
  return headers;
}

/** A state as answers have it is bare, and the header names entity tags. */
function asTag(state: string): string {
  return state.includes('"') || state.trim() === '*' ? state : `"${state}"`;
}
