import assert from 'node:assert/strict';
import type { Answer } from '../harness.ts';
import type { Outcome } from './references.ts';

const ASSERTIONS: Readonly<Record<Outcome, (answer: Answer, id: string, what: string) => void>> = {
  'not found': ({ status, json, text }, id, what) => {
    assert.equal(status, 404, `${what}: ${text}`);
    assert.equal(json.error.code, 'not_found', what);
    assertNamed(json.error.details, id, what);
  },
  'lists nothing': ({ status, json, text }, _id, what) => {
    assert.equal(status, 200, `${what}: ${text}`);
    assert.deepEqual(json.data, [], what);
  },
  'not in the folder': ({ status, json, text }, id, what) => {
    assert.equal(status, 400, `${what}: ${text}`);
    assert.equal(json.error.code, 'messages_not_in_folder', what);
    assert.deepEqual(json.error.details.message_ids, [id], what);
  },
  unknown: ({ status, json, text }, id, what) => {
    assert.equal(status, 200, `${what}: ${text}`);
    assert.deepEqual(json.data.unknown_resources, [id], what);
  },
};

/** What is not there is what was asked for, or, in a place that is not the caller's, what should be in it. */
function assertNamed(
  { resource, id: named }: { resource: string; id: string },
  id: string,
  what: string,
): void {
  if (named !== id) assert.equal(resource, 'event', `${what}: ${named} is not found`);
}

/** Asserts that the answer to an id that is not for the caller is the one that the interface states. */
export function assertOutcome(outcome: Outcome, answer: Answer, id: string, what: string): void {
  ASSERTIONS[outcome](answer, id, what);
}

/** An answer without what differs from request to request: equal texts tell nobody which id is whose. */
export function withoutId({ status, headers, json }: Answer, id: string): string {
  const { meta: _meta, ...body } = json;
  const names = [...headers.keys()].filter((name) => name !== 'content-length');
  return JSON.stringify({ status, names, body }).replaceAll(id, '<id>');
}
