import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkspaceUnreachable } from '../../src/storage/database.ts';
import { Conversation, type TimedQuery } from '../../src/storage/postgres/conversation.ts';
import type { ProbedWorker, WorkerProbe } from '../../src/storage/postgres/worker-probe.ts';
import { Workers } from '../../src/storage/postgres/workers.ts';

const AWAY = 'wsp_on_the_worker_that_is_away';
const THERE = 'wsp_on_the_other_worker';
const HOMES: ReadonlyMap<string, number> = new Map([
  [AWAY, 1],
  [THERE, 2],
]);

/** Workers of a cluster whose first does not answer; `whileTried` runs before that is known. */
function withOneAway(whileTried: (workers: Workers) => void): Workers {
  const probe: Pick<
    WorkerProbe,
    'isCluster' | 'spreadTables' | 'homesOf' | 'workers' | 'answers' | 'end' | 'blockedBy' | 'close'
  > = {
    isCluster: async () => true,
    spreadTables: async () => ['messages'],
    homesOf: async (workspaces) =>
      new Map(workspaces.map((workspace) => [workspace, HOMES.get(workspace) ?? 0])),
    workers: async () => [1, 2].map((group): ProbedWorker => ({ group, host: 'localhost', port: group })),
    answers: async ({ group }) => {
      if (group === 1) whileTried(workers);
      return group !== 1;
    },
    end: async () => undefined,
    blockedBy: async () => new Set(),
    close: async () => undefined,
  };
  const workers = new Workers(probe as WorkerProbe);
  return workers;
}

/** What asks for one object of these workspaces. */
function about(...workspaces: string[]): TimedQuery {
  return {
    text: 'select 1 from messages where workspace_id = any($1)',
    values: workspaces,
    query_timeout: 1_000,
  };
}

/** Has a statement for a workspace of the worker wait, until it is known whether the worker is lost. */
async function isLost(whileTried: (workers: Workers) => void): Promise<boolean> {
  const workers = withOneAway(whileTried);
  const conversation = new Conversation({} as never, undefined, workers);
  workers.admit(conversation, about(AWAY));
  await workers.suspect(conversation);
  try {
    workers.admit(new Conversation({} as never, undefined, workers), about(AWAY));
    return false;
  } catch (error) {
    assert.ok(error instanceof WorkspaceUnreachable);
    return true;
  } finally {
    await workers.close();
  }
}

test('A worker that does not answer is lost, unless it answered a statement of its workspace meanwhile', async () => {
  assert.equal(await isLost(() => undefined), true);
  assert.equal(await isLost((workers) => workers.heard(about(AWAY))), false);
  assert.equal(await isLost((workers) => workers.heard(about(THERE))), true);
});

test('A statement of several workspaces says of none that its worker answers', async () => {
  assert.equal(await isLost((workers) => workers.heard(about(AWAY, THERE))), true);
});
