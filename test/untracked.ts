import asyncHooks, { type HookCallbacks } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Imported before every test file: keeps Node's test runner from noting of each promise of which test it comes. A promise
 * costs ten times as much where it does, and what it gains is the name of the test that an error comes from which nobody
 * caught. Here such an error ends the file, and says where it was made. A suite has to name its tests before it awaits
 * anything: those that it names later would be known as tests of the file.
 */
if (isMainThread) {
  const { createHook } = asyncHooks;
  asyncHooks.createHook = (callbacks: HookCallbacks) =>
    createHook(isForRunner() ? { ...callbacks, trackPromises: false } : callbacks);
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

function isForRunner(): boolean {
  return /\(node:internal\/test_runner\//.test(new Error().stack ?? '');
}

function end(error: unknown): never {
  console.error('An error that nothing catches:', error);
  process.exit(1);
}
