import type { DirectoryService, UserRef, Workspace } from '../areas/directory/service.ts';
import type { KeysService } from '../areas/keys/service.ts';
import { ALL_PERMISSIONS } from '../contract/permissions.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { addressHere, shellContentOf } from './address.ts';
import type { Config } from './config.ts';
import { ownerKeyPath, writeOwnerKey } from './data-directory.ts';
import type { Welcome, WelcomingAreas } from './welcome.ts';
import type { Access } from './welcome-texts.ts';

/** The services that create a workspace with an owner. */
interface Makers {
  directory: DirectoryService;
  keys: KeysService;
}

/** A new workspace, the id of its owner, and the owner's key. */
export interface OwnedWorkspace {
  workspace: Workspace;
  ownerId: string;
  key: string;
}

/** Creates a workspace, its owner, and a key of the owner with every permission. Throws ApiError email_taken. */
export async function createOwnedWorkspace(
  tx: WriteTransaction,
  { directory, keys }: Makers,
  given: { name: string; ownerEmail: string; key?: string },
): Promise<OwnedWorkspace> {
  const { name, ownerEmail: email } = given;
  const workspace = await directory.createWorkspace(tx, name);
  const ownerName = email.slice(0, email.lastIndexOf('@'));
  const owner = await directory.createUser(tx, workspace.id, { name: ownerName, email }, { isOwner: true });
  const ref = { workspaceId: workspace.id, userId: owner.id };
  const { key } = await keys.createKey(tx, ref, { name: 'owner', permissions: ALL_PERMISSIONS }, given.key);
  return { workspace, ownerId: owner.id, key };
}

type FirstWorkspaceServices = Makers & WelcomingAreas & { database: Database };
type Settings = Pick<
  Config,
  'ownerEmail' | 'ownerKey' | 'welcome' | 'domain' | 'dataDir' | 'host' | 'port' | 'tls'
>;

/**
 * Creates the workspace Atrium with its owner on the first start with a database, and a welcome if the settings ask
 * for it; safe when several nodes start at once. Returns a generated key, which is shown only this once; a file
 * contains it as well. `onFirst` runs in the transaction that creates the workspace. Throws ConfigError where this file cannot be written.
 */
export async function ensureFirstWorkspace(
  services: FirstWorkspaceServices,
  config: Settings,
  onFirst: (tx: WriteTransaction, owner: UserRef) => Promise<void> = async () => undefined,
): Promise<string | undefined> {
  const { database, directory } = services;
  if ((await database.read((tx) => directory.listWorkspaces(tx))).length > 0) return undefined;
  const welcome = config.welcome ? await loadWelcome(services) : undefined;
  try {
    return await database.write((tx) => createFirstWorkspace(tx, { services, config, welcome, onFirst }));
  } finally {
    await welcome?.discard();
  }
}

/** Loaded on demand: only a first start needs it. */
async function loadWelcome(areas: WelcomingAreas): Promise<Welcome> {
  const { prepareWelcome } = await import('./welcome.ts');
  return prepareWelcome(areas);
}

async function createFirstWorkspace(
  tx: WriteTransaction,
  {
    services,
    config,
    welcome,
    onFirst,
  }: {
    services: FirstWorkspaceServices;
    config: Settings;
    welcome: Welcome | undefined;
    onFirst: (tx: WriteTransaction, owner: UserRef) => Promise<void>;
  },
): Promise<string | undefined> {
  await tx.lockInstallation('first start');
  if ((await services.directory.listWorkspaces(tx)).length > 0) return undefined;
  const { ownerEmail, ownerKey, domain } = config;
  const given = { name: 'Atrium', ownerEmail, ...(ownerKey !== undefined && { key: ownerKey }) };
  const { key, workspace, ownerId } = await createOwnedWorkspace(tx, services, given);
  const owner = { workspaceId: workspace.id, userId: ownerId };
  await welcome?.give(tx, owner, accessOf(config), domain);
  await onFirst(tx, owner);
  if (ownerKey !== undefined) return undefined;
  // Before the commit, because after it the key exists nowhere else. After a rollback or before a retry, the file has
  // a key that is not valid until the next attempt replaces it; no other node runs this code meanwhile.
  await writeOwnerKey(ownerKeyPath(config), key);
  return key;
}

function accessOf(config: Settings): Access {
  const { ownerEmail, ownerKey } = config;
  const key = ownerKey === undefined ? shellContentOf(ownerKeyPath(config)) : '$ATRIUM_OWNER_KEY';
  return { ownerEmail, address: addressHere(config), key };
}
