import type { Problem } from '../../contract/operation.ts';
import { type Principal, requirePermission } from '../../contract/principal.ts';
import { workingHoursProblems } from '../../contract/working-hours.ts';
import { addressForms, isInAForm } from '../../text/email-address.ts';
import { fold } from '../../text/fold.ts';
import { timeZoneNamed } from '../../text/time-zone.ts';
import type { UserChanges } from './schema.ts';

/** The fields that every user may change of themselves. */
const OWN_FIELDS = new Set(['share_availability', 'time_zone', 'working_hours']);

/** Throws ApiError insufficient_scope unless the caller may change some field of this user. */
export function permitUser(principal: Principal, id: string): void {
  if (id !== principal.userId) requirePermission(principal, 'directory.write');
}

/** Throws ApiError insufficient_scope unless the caller may make these changes to this user. */
export function permitUserChanges(principal: Principal, id: string, changes: UserChanges): void {
  const isOwnChange = id === principal.userId && Object.keys(changes).every((field) => OWN_FIELDS.has(field));
  if (!isOwnChange) requirePermission(principal, 'directory.write');
}

/** Checks of the fields of a user that the schema cannot express. */
export function userProblems(fields: UserChanges): Problem[] {
  const { email, aliases, time_zone: timeZone, working_hours: hours = [] } = fields;
  const problems = repeatedAddresses(email, aliases ?? []).map((index) =>
    duplicateProblem(`/aliases/${index}`),
  );
  if (timeZone !== undefined && timeZoneNamed(timeZone) === undefined) {
    problems.push({
      pointer: '/time_zone',
      code: 'not_allowed',
      message: 'Give the name of an IANA time zone, such as "Europe/Berlin".',
    });
  }
  return [...problems, ...workingHoursProblems(hours)];
}

/** The same of a new user, and what is wrong with the addresses. */
export function newUserProblems(fields: UserChanges): Problem[] {
  return [...userProblems(fields), ...formProblems(fields, [])];
}

/**
 * The problems of addresses whose domain is written in neither of its two forms: they would be further names of one mailbox, which
 * nothing compares. `held`: what the user has had since before this was a rule stays.
 */
export function formProblems({ email, aliases = [] }: UserChanges, held: readonly string[]): Problem[] {
  const areHeld = new Set(held.map(fold));
  const given = aliases.map((address, index) => ({ address, pointer: `/aliases/${index}` }));
  if (email !== undefined) given.unshift({ address: email, pointer: '/email' });
  return given
    .filter(({ address }) => !areHeld.has(fold(address)) && !isInAForm(address))
    .map(({ address, pointer }) => ({ pointer, code: 'wrong_format', message: formWanted(address) }));
}

function formWanted(address: string): string {
  const forms = new Set(addressForms(address));
  return `The domain is written in several ways at once. Write the address as ${[...forms].join(' or ')}.`;
}

/** The problems of the addresses that a user would have after these changes. */
export function mergedAddressProblems(
  changes: UserChanges,
  email: string,
  aliases: readonly string[],
): Problem[] {
  return repeatedAddresses(email, aliases).map((index) =>
    duplicateProblem(changes.aliases ? `/aliases/${index}` : '/email'),
  );
}

/** The indexes of aliases that repeat the e-mail address or an earlier alias. */
function repeatedAddresses(email: string | undefined, aliases: readonly string[]): number[] {
  const seen = new Set(email === undefined ? [] : [fold(email)]);
  return [...aliases.keys()].filter((index) => {
    const address = fold(aliases[index] ?? '');
    return seen.has(address) || !seen.add(address);
  });
}

function duplicateProblem(pointer: string): Problem {
  return { pointer, code: 'duplicate', message: 'The user would have this address twice.' };
}
