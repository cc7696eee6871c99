/** What a tool of several operations cannot be called with. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Calls } from '../../src/server/mcp/calls.ts';
import { callTool, toolCall } from '../../src/server/mcp/tool-calls.ts';
import { toolsFor } from '../../src/server/mcp/tools.ts';
import { operationsOf } from '../../src/start/server.ts';

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);

it('a tool of several operations is not held to one state, nor to one kept answer', async () => {
  const permissions = new Set(operations.flatMap((operation) => operation.permissions));
  const principal = { workspaceId: 'w', userId: 'u', keyId: 'k', permissions, expiresAt: Number.MAX_VALUE };
  const client = { isThere: () => true, hasEnded: () => false };
  const calls = new Calls(new Map(), { principal, authorization: undefined, origin: () => '', client });
  const tools = toolsFor(operations, principal, undefined);
  for (const name of ['whoami', 'list_drive', 'write_document']) {
    const tool = tools.get(name);
    assert.ok(tool);
    for (const manner of [{ state: 'x' }, { onlyRepeats: true }])
      await assert.rejects(callTool(calls, toolCall(tool, {}), manner), /several operations/);
  }
});
