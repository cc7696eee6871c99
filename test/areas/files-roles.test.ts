/** What each role may do, said once more and in full: a change of the table has to be made in both places. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  highestOf,
  isHigher,
  mayDo,
  type NodeAction,
  REQUIRED_ROLES,
  ROLES,
} from '../../src/areas/drive/rights.ts';

const ALLOWED: Record<(typeof ROLES)[number], readonly NodeAction[]> = {
  viewer: ['read', 'readContent', 'listGrants'],
  commenter: ['read', 'readContent', 'listGrants'],
  editor: [
    'read',
    'readContent',
    'listGrants',
    'addTo',
    'writeContent',
    'rename',
    'describe',
    'trash',
    'restore',
  ],
  manager: [
    'read',
    'readContent',
    'listGrants',
    'addTo',
    'writeContent',
    'rename',
    'describe',
    'trash',
    'restore',
    'share',
  ],
  owner: Object.keys(REQUIRED_ROLES) as NodeAction[],
};

describe('roles', () => {
  test('roles are from the least to the most (FILE-64)', () => {
    assert.deepEqual(ROLES, ['viewer', 'commenter', 'editor', 'manager', 'owner']);
    for (const [rank, role] of ROLES.entries())
      for (const [otherRank, other] of ROLES.entries()) assert.equal(isHigher(role, other), rank > otherRank);
  });

  for (const role of ROLES) {
    test(`a ${role} may do what the role allows and nothing else (FILE-64)`, () => {
      const actions = Object.keys(REQUIRED_ROLES) as NodeAction[];
      assert.deepEqual(actions.filter((action) => mayDo(role, action)).sort(), [...ALLOWED[role]].sort());
    });
  }

  test('of several roles the highest counts (FILE-74)', () => {
    assert.equal(highestOf([]), undefined);
    assert.equal(highestOf(['editor', 'viewer']), 'editor');
    assert.equal(highestOf(['viewer', 'manager', 'commenter']), 'manager');
    assert.equal(highestOf(['owner', 'viewer']), 'owner');
  });
});
