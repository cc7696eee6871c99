// Run as a process of its own: `move.child.ts WORKSPACE SETTINGS STEP [TABLE]` moves, and kills itself as that step ends.
import { moveWorkspace } from '../../src/archive/moving/move.ts';
import { openServices } from '../../src/start/composition.ts';
import { readConfig, readSettingsFile } from '../../src/start/config.ts';

const [workspaceId = '', settings = '', wanted, wantedTable] = process.argv.slice(2);
const source = await openServices(readConfig());
const target = await openServices(readSettingsFile(settings));
const moving = { source, target, workspaceId, location: 'https://there.example' };
await moveWorkspace(moving, { rows: 0, blobs: 0, bytes: 0 }, (step, table) => {
  if (step === wanted && table === wantedTable) process.kill(process.pid, 'SIGKILL');
});
