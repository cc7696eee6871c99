import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
/** A minute and more: it bounds only how long a failure takes to be told, however slow the machine is. */
const LOOKS = 3_000;

/** Waits until a condition holds: what happens beside an answer, or after it, takes a moment. Fails when it never does. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks++) {
    if (await holds()) return;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`never: ${what}`);
}
