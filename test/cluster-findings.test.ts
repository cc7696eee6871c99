/** What the doctor says of clusters in states that no test cluster is brought into. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterOf } from '../src/commands/server/checks/cluster.ts';
import type { InspectedCluster } from '../src/start/composition.ts';

const WELL: InspectedCluster = {
  version: '13.2-1',
  isCoordinator: true,
  workers: [{ host: '10.0.0.2', port: 5432 }],
  spread: ['users', 'workspaces'],
  left: [],
  wrong: [],
  shards: 32,
  states: [
    { server: 'the coordinator', isUp: true, preparedTransactions: 100 },
    { server: '10.0.0.2:5432', isUp: true, preparedTransactions: 100 },
  ],
};

const said = (change: Partial<InspectedCluster>) =>
  clusterOf({ ...WELL, ...change })
    .filter(({ state }) => state !== 'ok')
    .map(({ state, message }) => `${state}: ${message}`)
    .join('\n');

test('the doctor says nothing against a cluster that is well (OPS-89)', () => {
  assert.equal(said({}), '');
});

test('the doctor tells what is wrong with a cluster, and what to do (OPS-89)', () => {
  const [coordinator, worker] = WELL.states;
  assert.ok(coordinator && worker);
  const cases: [Partial<InspectedCluster>, RegExp][] = [
    [
      { states: [coordinator, { ...worker, preparedTransactions: 0 }] },
      /^fail: max_prepared_transactions is 0 on 10\.0\.0\.2:5432, so users/,
    ],
    [
      { states: [coordinator, { ...worker, isUp: false, preparedTransactions: undefined }] },
      /^fail: Citus 13\.2-1 with 1 worker, of which the coordinator does not reach 10\.0\.0\.2:5432\./,
    ],
    [{ workers: [] }, /^warn: .*citus_add_node/],
    [{ isCoordinator: false }, /^warn: .*Let it name the coordinator/],
    [{ left: ['webhooks'] }, /^fail: On the coordinator alone: webhooks\. Run `atrium database distribute`/],
    [{ spread: [], left: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, /^warn: None is spread.*distribute/],
    [{ left: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, /: a, b, c, d, e and 2 more\./],
    [{ wrong: ['users'] }, /^fail: Spread otherwise than by workspace_id: users\./],
  ];
  for (const [change, expected] of cases) assert.match(said(change), expected);
});
