import type { InspectedCluster } from '../../../start/composition.ts';
import { counted } from '../../output.ts';
import type { Finding } from './finding.ts';

/** Tables that are named; of the others the number says enough. */
const MOST_NAMED = 5;

/** What there is to say of a database with the extension Citus. */
export function clusterOf(cluster: InspectedCluster): Finding[] {
  return [workersOf(cluster), tablesOf(cluster), commitsOf(cluster)];
}

function workersOf({ version, workers, states, isCoordinator }: InspectedCluster): Finding {
  const check = 'cluster';
  const name = `Citus ${version} with ${counted(workers.length, 'worker')}`;
  const away = states.filter(({ isUp }) => !isUp).map(({ server }) => server);
  if (away.length > 0) {
    const message = `${name}, of which the coordinator does not reach ${away.join(', ')}. Workspaces there are answered 503. See that PostgreSQL runs there, or put a standby in its place with citus_update_node.`;
    return { check, state: 'fail', message };
  }
  if (!isCoordinator) {
    const message = `${name}; ATRIUM_DATABASE_URL names one of them. Let it name the coordinator: between nodes on several servers the change feed passes over changes.`;
    return { check, state: 'warn', message };
  }
  if (workers.length > 0) return { check, state: 'ok', message: `${name}. All answer.` };
  const message = `${name}: nothing can be spread. Add each with \`select citus_add_node(host, port)\`.`;
  return { check, state: 'warn', message };
}

function tablesOf({ spread, left, wrong, shards }: InspectedCluster): Finding {
  const check = 'tables of the cluster';
  if (wrong.length > 0) {
    const message = `Spread otherwise than by workspace_id: ${named(wrong)}. Undo that with \`select undistribute_table(name)\`, and run \`atrium database distribute\`.`;
    return { check, state: 'fail', message };
  }
  if (spread.length === 0) {
    const message =
      'None is spread: the coordinator has everything. `atrium database distribute` spreads them.';
    return { check, state: 'warn', message };
  }
  if (left.length === 0)
    return { check, state: 'ok', message: `All ${spread.length} are spread, in ${shards} shards each.` };
  const message = `On the coordinator alone: ${named(left)}. Run \`atrium database distribute\`; the next start does the same.`;
  return { check, state: 'fail', message };
}

function commitsOf({ states }: InspectedCluster): Finding {
  const check = 'commits on several servers';
  const unable = states
    .filter(({ preparedTransactions }) => preparedTransactions === 0)
    .map(({ server }) => server);
  if (unable.length === 0)
    return { check, state: 'ok', message: 'The servers that answer can prepare transactions.' };
  const message = `max_prepared_transactions is 0 on ${unable.join(', ')}, so users, keys and mail between workspaces cannot be written. Set it to max_connections at least, and restart PostgreSQL there.`;
  return { check, state: 'fail', message };
}

function named(tables: readonly string[]): string {
  const rest = tables.length - MOST_NAMED;
  return `${tables.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
