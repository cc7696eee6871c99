import { isBlank } from '../../../contract/line-of-text.ts';
import type { Problem } from '../../../contract/operation.ts';
import { type ContactFields, MAX_NAME, NAMING } from '../schema.ts';

/** The fields that say something, a line more than blanks, with every line break as "\n", in the order in which a contact shows them. */
export function withoutEmpty(given: ContactFields): ContactFields {
  const kept: ContactFields = {
    name: shown(given.name),
    given_name: shown(given.given_name),
    family_name: shown(given.family_name),
    emails: given.emails?.map(({ address, type }) => ({ address, ...(shown(type) && { type }) })),
    phones: given.phones?.map(({ number, type }) => ({ number, ...(shown(type) && { type }) })),
    organization: shown(given.organization),
    title: shown(given.title),
    notes: given.notes?.replace(/\r\n?/g, '\n'),
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value && value.length > 0));
}

function shown(line = ''): string {
  return isBlank(line) ? '' : line;
}

/** "An absent name is made of the others", of which none is empty; undefined when there is nothing to make it of. */
export function madeName(fields: ContactFields): string | undefined {
  const { given_name: given, family_name: family, organization, emails, phones } = fields;
  const person = [given, family].filter(Boolean).join(' ');
  const made = person || organization || emails?.[0]?.address || phones?.[0]?.number;
  return made && [...made].slice(0, MAX_NAME).join('');
}

/** What is wrong with a new contact that gives fields which could name it, but all empty. That it gives none the schema tells. */
export function emptyNameProblems(fields: ContactFields): Problem[] {
  return NAMING.some((field) => fields[field] !== undefined) ? namingProblems(fields) : [];
}

/** What is wrong with a change that empties every field which could name a contact. */
export function emptiedNameProblems(changes: ContactFields): Problem[] {
  return NAMING.every((field) => changes[field] !== undefined) ? namingProblems(changes) : [];
}

/** What is wrong with fields of which none can name a contact. */
export function namingProblems(given: ContactFields): Problem[] {
  const fields = withoutEmpty(given);
  if (fields.name || madeName(fields)) return [];
  const message = `Give at least one of ${NAMING.join(', ')}.`;
  return [{ pointer: '', code: 'invalid', message }];
}
