import { join } from 'node:path';
import { ALL_PERMISSIONS } from './api/permissions.ts';
import type { DirectoryService, Workspace } from './areas/directory/service.ts';
import type { KeysService } from './areas/keys/service.ts';
import type { Config } from './config.ts';
import { writeOwnerKey } from './owner-key-file.ts';
import type { Database, WriteTransaction } from './storage/database.ts';
import { addressHere, contentOf } from './welcome/shell.ts';
import type { Access } from './welcome/texts.ts';
import type { Welcome, WelcomingAreas } from './welcome/welcome.ts';

interface Founders {
  directory: DirectoryService;
  keys: KeysService;
}

/** A new workspace, the id of its owner, and the owner's key. */
export interface Founded {
  workspace: Workspace;
  ownerId: string;
  key: string;
}

/** Makes a workspace, its owner, and a key of the owner with every permission. Throws ApiError email_taken. */
export async function foundWorkspace(
  tx: WriteTransaction,
  { directory, keys }: Founders,
  given: { name: string; ownerEmail: string; key?: string },
): Promise<Founded> {
  const { name, ownerEmail: email } = given;
  const workspace = await directory.createWorkspace(tx, name);
  const ownerName = email.slice(0, email.lastIndexOf('@'));
  const owner = await directory.createUser(tx, workspace.id, { name: ownerName, email }, { isOwner: true });
  const ref = { workspaceId: workspace.id, userId: owner.id };
  const { key } = await keys.createKey(tx, ref, { name: 'owner', permissions: ALL_PERMISSIONS }, given.key);
  return { workspace, ownerId: owner.id, key };
}

/** Where the key of the first owner is kept when it was generated. */
export function ownerKeyPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'owner-key');
}

type Founding = Founders & WelcomingAreas & { database: Database };
type Settings = Pick<
  Config,
  'ownerEmail' | 'ownerKey' | 'welcome' | 'domain' | 'dataDir' | 'host' | 'port' | 'tls'
>;

/**
 * On the first start on a database, makes the workspace Atrium with its owner, and a welcome where the settings say so;
 * also when several nodes start at once. Answers the key when it was generated, to be shown this once: it is in a file as
 * well. Throws ConfigError where that cannot be written.
 */
export async function ensureOwner(product: Founding, config: Settings): Promise<string | undefined> {
  const { database, directory } = product;
  if ((await database.read((tx) => directory.listWorkspaces(tx))).length > 0) return undefined;
  const welcome = config.welcome ? await loadWelcome(product) : undefined;
  try {
    return await database.write((tx) => foundFirst(tx, product, config, welcome));
  } finally {
    await welcome?.discard();
  }
}

/** Only a first start needs it. */
async function loadWelcome(areas: WelcomingAreas): Promise<Welcome> {
  const { prepareWelcome } = await import('./welcome/welcome.ts');
  return prepareWelcome(areas);
}

async function foundFirst(
  tx: WriteTransaction,
  product: Founding,
  config: Settings,
  welcome: Welcome | undefined,
): Promise<string | undefined> {
  await tx.lock('first start');
  if ((await product.directory.listWorkspaces(tx)).length > 0) return undefined;
  const { ownerEmail, ownerKey, domain } = config;
  const given = { name: 'Atrium', ownerEmail, ...(ownerKey !== undefined && { key: ownerKey }) };
  const { key, workspace, ownerId } = await foundWorkspace(tx, product, given);
  const owner = { workspaceId: workspace.id, userId: ownerId };
  await welcome?.give(tx, owner, accessOf(config), domain);
  if (ownerKey !== undefined) return undefined;
  // Before the commit, because after it the key is nowhere else. Undone or run again, the file holds a key that
  // opens nothing until the next attempt replaces it; no other node is here meanwhile.
  await writeOwnerKey(ownerKeyPath(config), key);
  return key;
}

function accessOf(config: Settings): Access {
  const { ownerEmail, ownerKey } = config;
  const key = ownerKey === undefined ? contentOf(ownerKeyPath(config)) : '$ATRIUM_OWNER_KEY';
  return { ownerEmail, address: addressHere(config), key };
}
