/** Holds that nothing of a request is spread over a caller, a row or an option: its members are picked by name. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { requestTypesOf, spreadProblems } from './architecture/input-spreads.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * Schemas, declarations and the description of the API are made of parts that this code has written itself; queries are
 * read where they are checked.
 */
const WITHOUT = /schema\.ts$|^src\/api\/(?:openapi|operation|exchange|validation)\.ts$/;

const sources = new Map(
  globSync('src/{api,areas,commands,doors}/**/*.ts', { cwd: ROOT })
    .filter((path) => !WITHOUT.test(path))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);
const requestTypes = new Set([...sources.values()].flatMap(requestTypesOf));

it('what a request brings is picked by name wherever an object is made of it', () => {
  assert.ok(requestTypes.has('NewContact') && requestTypes.size > 50);
  const problems = [...sources].flatMap(([path, source]) => spreadProblems(path, source, requestTypes));
  assert.deepEqual(problems, []);
});

describe('the rule refuses', () => {
  const refused: Record<string, string> = {
    'a body and parameters behind a caller':
      'writesJointly({ handle: (tx, all) => write(all.map(({ principal, params, body }) => ({ user: principal, ...params, ...body }))) });',
    'a change over a row':
      'async function update(tx: Tx, changes: CalendarChanges) { const row = { ...(await find(tx)), ...changes }; }',
    'what remains of a body':
      'function make({ name, ...others }: NewContact) { return { name, ...others }; }',
    'what remains of a body under another name':
      'function make(fresh: NewContact) { const { name, ...others } = fresh; return { ...others, name }; }',
    'a body under another name': 'function make(fresh: NewContact) { const row = fresh; return { ...row }; }',
    'a copy of a body': 'const row = { ...structuredClone(body) };',
    'entries of a body': 'const row = { ...Object.fromEntries(Object.entries(body)) };',
    'some entries of a body':
      'const row = { ...Object.fromEntries(Object.entries(body).filter(([name]) => name !== "id")) };',
    'a new object of the entries of a body': 'const row = Object.fromEntries(Object.entries(changes));',
    'a loop over the names of a body': 'for (const name in body) row[name] = body[name];',
    'a loop over the entries of a body':
      'for (const [name, value] of Object.entries(body)) row[name] = value;',
    'a body where it is there': 'const row = { ...(body ?? {}) };',
    'a body under a condition': 'const row = { ...(isNew ? request.body : {}) };',
    'a body that is assigned': 'Object.assign(row, body);',
    'anything behind a caller': 'const write = { user: principal, ...settings };',
    'anything behind an id': 'const row = { book_id: book.id, ...settings };',
    'anything over a row': 'const row = { ...before, ...settings };',
  };
  for (const [what, source] of Object.entries(refused)) {
    it(`the rule refuses ${what}`, () =>
      assert.equal(spreadProblems('src/a.ts', source, requestTypes).length > 0, true));
  }
});

describe('the rule lets through', () => {
  const allowed: Record<string, string> = {
    'a row in front of what changes': 'const after = { ...before, name, updated_at: now };',
    'literals anywhere': "const record = { id, ...(type && { type }), ...(isOld ? { state: 'old' } : {}) };",
    'members that were picked': 'const after = { ...before, ...picked(changes, FIELDS) };',
    'members under their names': 'handle({ user: principal, id: params.id, values: body.values });',
    'another thing of the same name':
      'function make(fresh: NewContact) { return (row: Row) => ({ ...row, name: fresh.name }); }',
  };
  for (const [what, source] of Object.entries(allowed)) {
    it(`the rule lets ${what} through`, () =>
      assert.deepEqual(spreadProblems('src/a.ts', source, requestTypes), []));
  }
});
