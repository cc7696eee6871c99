import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import { NODES } from './count.ts';

/** What one node sees at once. Of several the others may take a moment: "on every node within 5 s". */
export async function atOnce(holds: () => Promise<boolean>, what: string): Promise<void> {
  if (NODES > 1) return eventually(holds, what);
  assert.ok(await holds(), what);
}
