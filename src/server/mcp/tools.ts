import type { AgentTool, ToolArguments } from '../../contract/agent-tool.ts';
import type { Area, Operation } from '../../contract/operation.ts';
import type { Principal } from '../../contract/principal.ts';
import { refuse } from '../../contract/validation.ts';
import { mayCall } from './calls.ts';

/** An operation, and how one tool offers it. */
export interface Offer {
  readonly operation: Operation;
  readonly agent: AgentTool;
}

/** A tool: the operations that it calls. */
export interface Tool {
  readonly name: string;
  readonly offers: readonly Offer[];
}

/** The tool that is always listed: it names the ids that others need. */
const ALWAYS = 'whoami';

/** What `?areas=` narrows the tools to (MCP-9). */
const AREAS: Readonly<Record<string, readonly Area[]>> = {
  directory: ['Directory', 'API keys'],
  mail: ['Mail'],
  contacts: ['Contacts'],
  drive: ['Files', 'Documents', 'Spreadsheets'],
  documents: ['Documents'],
  spreadsheets: ['Spreadsheets'],
  calendar: ['Calendar'],
  changes: ['Changes'],
  search: ['Search'],
};

/** The areas that a query names. Throws ApiError validation_failed for one that does not exist. */
export function areasIn(asked: string): ReadonlySet<Area> {
  const names = asked.split(',').map((name) => name.trim());
  const known = Object.keys(AREAS).join(', ');
  refuse(
    names
      .filter((name) => !Object.hasOwn(AREAS, name))
      .map((name) => ({
        parameter: 'areas',
        code: 'not_allowed',
        message: `There is no area ${JSON.stringify(name)}. Give some of ${known}.`,
      })),
  );
  return new Set(names.flatMap((name) => AREAS[name] ?? []));
}

/** The tools that a principal may call, of these areas or of all, by name. */
export function toolsFor(
  operations: readonly Operation[],
  principal: Principal,
  areas: ReadonlySet<Area> | undefined,
): Map<string, Tool> {
  const offers = operations
    .filter((operation) => mayCall(operation, principal))
    .flatMap((operation) => [operation.agent ?? []].flat().map((agent) => ({ operation, agent })))
    .filter(({ operation, agent }) => agent.tool === ALWAYS || !areas || areas.has(operation.area));
  const tools = Map.groupBy(offers, ({ agent }) => agent.tool);
  return new Map(Array.from(tools, ([name, of]) => [name, { name, offers: of }]));
}

/**
 * The operation that fits the arguments: of those whose members of the path are all given, and whose kind of id it is,
 * the one with the most of them. Throws ApiError validation_failed where none fits.
 */
export function chosenOffer({ offers }: Tool, given: ToolArguments): Offer {
  const fitting = offers.filter((offer) => fits(offer, given));
  const [best] = fitting.toSorted((a, b) => pathOf(b.operation).length - pathOf(a.operation).length);
  if (best) return best;
  const [only] = offers;
  if (offers.length === 1 && only) return only;
  // Of one kind of id alone: its operation says which argument is missing beside the id.
  const [ofKind] = offers.filter((offer) => offer.agent.ids && isOfKind(offer, given));
  if (ofKind) return ofKind;
  const kinds = offers.flatMap(({ agent }) => agent.ids ?? []).map((kind) => `${kind}_…`);
  const message =
    kinds.length > 0 ? `Give an id of the form ${kinds.join(', ')}.` : `Give ${namesOf(offers)}.`;
  refuse([{ parameter: 'id', code: given.id === undefined ? 'required' : 'wrong_format', message }]);
  throw new TypeError('A problem is always refused');
}

function fits(offer: Offer, given: ToolArguments): boolean {
  const { operation, agent } = offer;
  if (!isOfKind(offer, given)) return false;
  if (agent.asArguments) return true;
  return pathOf(operation).every((name) => given[name] !== undefined && given[name] !== '');
}

/** Whether the operation takes ids like the given one. */
function isOfKind({ agent: { ids } }: Offer, { id }: ToolArguments): boolean {
  return ids === undefined || (typeof id === 'string' && ids.some((prefix) => id.startsWith(`${prefix}_`)));
}

function pathOf({ params }: Operation): string[] {
  return Object.keys(params?.properties ?? {});
}

function namesOf(offers: readonly Offer[]): string {
  return offers.map(({ operation }) => pathOf(operation).join(' and ')).join(', or ');
}
