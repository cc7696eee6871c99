/** The arguments that tools list are those that they take; others are refused. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operationsOf } from '../../src/start/server.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const offers = operationsOf({} as Parameters<typeof operationsOf>[0]).flatMap((operation) =>
  [operation.agent ?? []].flat().map((agent) => ({ operation, agent })),
);

interface Problem {
  code: string;
  pointer?: string;
  parameter?: string;
}

describe('the arguments of tools', () => {
  let app: TestApp;
  let agent: TestAgent;
  before(async () => {
    app = await startApp(ANY_ENGINE);
    agent = await connectAgent(app.address, { query: '?tools=all' });
  });
  after(async () => {
    await agent.close();
    await app.stop();
  });

  /** Whether the tool says that it has no such argument. */
  const isUnknown = async (name: string, given: Record<string, unknown>, argument: string) => {
    const { structured } = await agent.call(name, given);
    const problems: Problem[] = structured.error?.details.errors ?? [];
    return problems.some(
      ({ code, pointer, parameter }) =>
        code === 'unknown_field' && (pointer === `/${argument}` || parameter === argument),
    );
  };
  /** Arguments that choose each of the operations of a tool. */
  const choices = (name: string): Record<string, unknown>[] => {
    const found = offers
      .filter(({ agent: { tool } }) => tool === name)
      .flatMap(({ operation: { params, rawBody }, agent: { ids } }) =>
        (ids ?? ['msg']).map((prefix) => {
          const inPath = Object.keys(params?.properties ?? (ids ? { id: '' } : {}));
          return {
            ...Object.fromEntries(inPath.map((member) => [member, `${prefix}_1`])),
            ...(rawBody ? { content: 'x' } : {}),
          };
        }),
      );
    return found.length > 0 ? found : [{}];
  };

  it('are taken by an operation of the tool where the tool lists them (MCP-6)', async () => {
    const { tools } = await agent.client.listTools();
    assert.ok(tools.length > 30);
    const refused: string[] = [];
    for (const { name, inputSchema } of tools)
      for (const argument of Object.keys(inputSchema.properties ?? {})) {
        let isTaken = false;
        for (const choice of choices(name))
          isTaken ||= !(await isUnknown(name, { ...choice, [argument]: '1' }, argument));
        if (!isTaken) refused.push(`${name}: ${argument}`);
      }
    assert.deepEqual(refused, []);
  });
});
