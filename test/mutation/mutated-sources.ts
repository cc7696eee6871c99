/** Imported before anything else by the process of a trial: modules of the product come with their mutants in them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { SOURCES_VARIABLE, USAGE_VARIABLE } from './variables.ts';

/** JavaScript by the URL of the module in whose place it comes. */
const sources = new Map<string, string>(
  Object.entries(JSON.parse(readFileSync(process.env[SOURCES_VARIABLE] ?? '', 'utf8'))),
);

registerHooks({
  load(url, context, nextLoad) {
    const source = sources.get(url);
    return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true };
  },
});

const usageFile = process.env[USAGE_VARIABLE];
if (isMainThread && usageFile)
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(usageFile, String((user + system) / 1_000_000));
  });
