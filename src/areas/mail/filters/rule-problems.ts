import { ApiError } from '../../../contract/errors.ts';
import type { Problem } from '../../../contract/operation.ts';
import { isObject, type Members, objectsIn } from '../../../contract/unknown-json.ts';
import { RESERVED_OP } from './schema.ts';

/** The action type that each member belongs to. */
const GOES_WITH = { folder: 'move', flag: 'set_flag' } as const;

/**
 * Checks of the rule in a body that the schema cannot express; ignores malformed members, which the schema reports.
 * Throws ApiError unsupported_operator for the op regex if nothing else is wrong; its details name the conditions.
 */
export function ruleProblems(sent: unknown): Problem[] {
  const rule = isObject(sent) && isObject(sent.rule) ? sent.rule : {};
  const misplaced = objectsIn(rule.actions).flatMap(([action, i]) =>
    actionProblems(action, `/rule/actions/${i}`),
  );
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
