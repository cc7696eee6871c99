import { isMainThread } from 'node:worker_threads';

/** Imported before every test file: properties are tried with the same examples in every run, with others by ATRIUM_TEST_SEED. */
// Threads of the application import this too, and would take half as long again to start with what they never use.
if (isMainThread) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(process.env.ATRIUM_TEST_SEED ?? 20_261_121) });
}
