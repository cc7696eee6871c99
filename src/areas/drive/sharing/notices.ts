import type { Principal } from '../../../contract/principal.ts';
import { refuse } from '../../../contract/validation.ts';
import type { NamedPrincipal } from '../../directory/service.ts';
import type { NodeRow } from '../node-store.ts';
import type { Wanted } from '../rights.ts';
import type { NewPermissionGrant } from '../schema.ts';
import type { Notice, SharingDependencies } from './dependencies.ts';
import { checkGrant, principalOf } from './principals.ts';

/** Members of a group that one grant may tell. */
const MOST_RECIPIENTS = 100;

/**
 * Composes the message about a grant, before its transaction; undefined where it is not wanted, or nobody but the sharer
 * would get it. Rejects with ApiError not_found, forbidden or validation_failed.
 */
export async function prepareNotice(
  dependencies: SharingDependencies,
  sharer: Principal,
  wanted: Wanted,
  given: NewPermissionGrant,
): Promise<Notice | undefined> {
  checkGrant(given);
  if (given.notify !== true) return undefined;
  const told = await findTold(dependencies, sharer, wanted, given);
  if (told.to.length === 0) return undefined;
  return dependencies.composeNotice(sharer, {
    to: told.to,
    subject: `Shared with you: ${told.node.title}`,
    text: textOf(told, given),
  });
}

interface Told {
  node: NodeRow;
  to: string[];
  sharer: NamedPrincipal | undefined;
  principal: NamedPrincipal | undefined;
}

function findTold(
  { database, directory, rights }: SharingDependencies,
  sharer: Principal,
  wanted: Wanted,
  given: NewPermissionGrant,
): Promise<Told> {
  const { workspaceId, userId } = sharer;
  return database.read(async (tx) => {
    const { node } = await rights.require(tx, sharer, wanted, 'share');
    const principal = await principalOf(tx, directory, workspaceId, given);
    const active = (await directory.activeUsersOf(tx, workspaceId, [principal])).get(principal.id) ?? [];
    const ids = active.filter((id) => id !== userId);
    if (ids.length > MOST_RECIPIENTS) {
      const message = `The group has more than ${MOST_RECIPIENTS} members; share without notify, and write to them yourself.`;
      refuse([{ pointer: '/notify', code: 'too_many', message }]);
    }
    const users = ids.map((id) => ({ type: 'user', id }) as const);
    const names = await directory.namesOf(tx, workspaceId, [
      principal,
      { type: 'user', id: userId },
      ...users,
    ]);
    const to = ids.flatMap((id) => names.get(id)?.email ?? []);
    return { node, to, sharer: names.get(userId), principal: names.get(principal.id) };
  });
}

const KIND_NAMES = {
  file: 'file',
  folder: 'folder',
  document: 'document',
  spreadsheet: 'spreadsheet',
} as const;

function textOf({ node, sharer, principal }: Told, { role }: NewPermissionGrant): string {
  const by = sharer ? `${sharer.name} <${sharer.email}>` : 'Somebody';
  const whom = principal?.type === 'group' ? `the group "${principal.name}", which you are in,` : 'you';
  return [
    `${by} has given ${whom} the role ${role} for the ${KIND_NAMES[node.kind]} "${node.title}".`,
    '',
    `You find it on the page, in "Shared with me" of Files:`,
    '',
    `  ${pathOnPage(node)}`,
    '',
    'and over the API:',
    '',
    ...placesOf(node).map((place) => `  ${place}`),
    '',
  ].join('\n');
}

/** Without the server: the address of a request may be forged, and the message goes to others. */
function pathOnPage({ id, kind }: NodeRow): string {
  return kind === 'folder' ? `/files/folder/${id}` : `/files/file/${id}`;
}

function placesOf({ id, kind }: NodeRow): string[] {
  if (kind === 'folder')
    return [
      `GET /v1/files?folder_id=${id}`,
      `GET /v1/documents?folder_id=${id}`,
      'GET /v1/file-folders?shared=true',
    ];
  if (kind === 'file') return [`GET /v1/files/${id}`, 'GET /v1/files?shared=true'];
  return [`GET /v1/documents/${id}`, 'GET /v1/documents?shared=true'];
}
