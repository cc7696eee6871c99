import { ApiError } from '../../../contract/errors.ts';
import { isObject, type Members, objectsIn } from '../../../contract/json.ts';
import type { Problem } from '../../../contract/operation.ts';
import { OPS, RESERVED_OP } from './schema.ts';

/** The action type that each member belongs to. */
const GOES_WITH = { folder: 'move', flag: 'set_flag', label: 'add_label' } as const;

/**
 * Checks of the rule in a body that the schema cannot express; ignores malformed members, which the schema reports.
 * Throws ApiError unsupported_operator for the op regex if nothing else is wrong; its details name the conditions.
 */
export function ruleProblems(sent: unknown): Problem[] {
  const rule = isObject(sent) && isObject(sent.rule) ? sent.rule : {};
  const misplaced = [
    ...objectsIn(rule.conditions).flatMap(([condition, i]) =>
      conditionProblems(condition, `/rule/conditions/${i}`),
    ),
    ...objectsIn(rule.actions).flatMap(([action, i]) => actionProblems(action, `/rule/actions/${i}`)),
  ];
  const reserved = objectsIn(rule.conditions)
    .filter(([{ op }]) => op === RESERVED_OP)
    .map(([, i]) => reservedOp(`/rule/conditions/${i}/op`));
  if (reserved.length === 0 || misplaced.length > 0) return [...reserved, ...misplaced];
  throw new ApiError('unsupported_operator', RESERVED, { errors: reserved });
}

const RESERVED = `The op ${RESERVED_OP} is reserved; use contains, equals, starts_with or ends_with.`;

function reservedOp(pointer: string): Problem {
  return { pointer, code: 'unsupported_operator', message: RESERVED };
}

/** What a kind of field takes: its ops, and how its value reads. `isBare`: op and value may be left out. */
interface FieldKind {
  ops: readonly string[];
  isBare: boolean;
  takes: (value: unknown) => boolean;
  wanted: string;
}

const TEXT: FieldKind = {
  ops: [...OPS.text, RESERVED_OP],
  isBare: false,
  takes: (value) => typeof value === 'string',
  wanted: 'Give a string',
};
const KINDS: ReadonlyMap<unknown, FieldKind> = new Map(
  Object.entries({
    size: {
      ops: [...OPS.size, RESERVED_OP],
      isBare: false,
      takes: (value) => /^\d{1,15}$/.test(String(value)),
      wanted: 'Give a number of bytes, as 1048576',
    },
    has_attachment: {
      ops: [...OPS.has_attachment, RESERVED_OP],
      isBare: true,
      takes: (value) => /^(?:true|false)$/.test(String(value)),
      wanted: 'Give true or false',
    },
  }),
);

function conditionProblems({ field, op, value }: Members, pointer: string): Problem[] {
  const kind = KINDS.get(field) ?? TEXT;
  const problems: Problem[] = [];
  const report = (member: string, code: string, message: string) =>
    problems.push({ pointer: `${pointer}/${member}`, code, message });
  if (op === undefined && !kind.isBare) report('op', 'required', `Give one of ${usable(kind)}.`);
  if (isKnownOp(op) && !kind.ops.includes(op))
    report('op', 'not_allowed', `With this field, give one of ${usable(kind)}.`);
  if (value === undefined && !kind.isBare) report('value', 'required', `${kind.wanted}.`);
  const isValue = ['string', 'number', 'boolean'].includes(typeof value);
  if (isValue && !kind.takes(value)) report('value', 'wrong_type', `${kind.wanted}.`);
  return problems;
}

function isKnownOp(op: unknown): op is string {
  return [...OPS.text, ...OPS.size].some((known) => known === op);
}

function usable({ ops }: FieldKind): string {
  return ops.filter((op) => op !== RESERVED_OP).join(', ');
}

function actionProblems(action: Members, pointer: string): Problem[] {
  return Object.entries(GOES_WITH).flatMap(([member, type]) =>
    memberProblems(action, member, type, `${pointer}/${member}`),
  );
}

function memberProblems(action: Members, member: string, type: string, pointer: string): Problem[] {
  const isThere = action[member] !== undefined;
  if (isThere === (action.type === type) || typeof action.type !== 'string') return [];
  return isThere
    ? [{ pointer, code: 'not_allowed', message: `${member} goes only with the type ${type}.` }]
    : [{ pointer, code: 'required', message: `${member} is required with the type ${type}.` }];
}
