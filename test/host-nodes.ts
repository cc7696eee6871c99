/** The Nodes of the host, on which people install and start what is packed here. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Without the programs of the project: what is left is the host's. */
const HOST_FOLDERS = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'));

/** Where managers of versions and images of continuous integration keep further Nodes. */
const FURTHER = [
  '/usr/bin/node',
  '/usr/local/bin/node',
  '/opt/hostedtoolcache/node/*/*/bin/node',
  join(homedir(), '.nvm/versions/node/*/bin/node'),
];

interface HostNode {
  path: string;
  /** Such as 20.3.0. */
  version: string;
}

/** The oldest Node here that the package in `folder` of the repository is for; where the host has none, that of this process. */
export function oldestNodeFor(folder: string): HostNode {
  const { engines } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const [, oldest] = /^>=([\d.]+)$/.exec(engines.node) ?? [];
  if (oldest === undefined) throw new Error(`${engines.node} names no oldest Node`);
  const paths = [...HOST_FOLDERS.map((path) => join(path, 'node')), ...globSync(FURTHER)];
  const nodes = [...new Set(paths)].map(asNode).filter((node) => node !== undefined);
  nodes.push({ path: process.execPath, version: process.versions.node });
  const fitting = nodes.filter(({ version }) => compare(version, oldest) >= 0);
  return fitting.reduce((one, other) => (compare(other.version, one.version) < 0 ? other : one));
}

/** Where a process finds `node`, and beside it what else the host has, such as npm. */
export function pathWith({ path }: HostNode): string {
  return [dirname(path), ...HOST_FOLDERS].join(delimiter);
}

function asNode(path: string): HostNode | undefined {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 ? { path, version: stdout.trim().slice(1) } : undefined;
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
