import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FileAccess, PermissionGrant } from '../../../../client/src/index.ts';
import { api } from '../../app/api.ts';
import type { RecordingApi } from '../../app/calls.ts';
import { outbox, TakenBack } from '../../app/outbox.ts';
import { reasonOf } from '../../app/refusals.ts';
import { useTexts } from '../../app/texts.ts';
import { showToast } from '../../app/toasts.tsx';
import { shownName } from '../../parts/shown-name.ts';
import type { Item } from '../items.ts';
import { keys } from '../lists.ts';
import { filesTexts } from '../texts.ts';

export type Role = PermissionGrant['role'];
export const ROLES: readonly Role[] = ['viewer', 'commenter', 'editor', 'manager'];

/** Whom something is shared with: a principal, or an address that the server looks up. */
export type Recipient = { principal_id: string; principal_type: 'user' | 'group' } | { email: string };

export interface Sharing {
  grants: readonly PermissionGrant[];
  access: readonly FileAccess[];
}

/** The grants on an item, and everyone who reaches it. */
export function useSharing(item: Item) {
  const { files } = api;
  return useQuery({
    queryKey: keys.sharing(item.id),
    queryFn: async ({ signal }): Promise<Sharing> => {
      const isFolder = item.kind === 'folder';
      const [grants, access] = await Promise.all([
        isFolder
          ? files.listFileFolderPermissions(item.id, { signal })
          : files.listFilePermissions(item.id, { signal }),
        isFolder
          ? files.listFileFolderAccess(item.id, { signal })
          : files.listFileAccess(item.id, { signal }),
      ]);
      return { grants, access };
    },
  });
}

/** Sharing, by the outbox: shown at once where it changes what is listed. */
export function useShareWrites(item: Item) {
  const queries = useQueryClient();
  const texts = useTexts(filesTexts);
  return useMemo(() => {
    const key = keys.sharing(item.id);
    const isFolder = item.kind === 'folder';
    const send = async (label: string, call: (api: RecordingApi) => Promise<unknown>) => {
      try {
        await (await outbox.add({ call, label, lane: `files sharing ${item.id}` })).done;
      } catch (error) {
        const reason = reasonOf(error);
        if (!(error instanceof TakenBack)) showToast({ text: texts.refused(label, reason), kind: 'problem' });
      } finally {
        await queries.invalidateQueries({ queryKey: key });
      }
    };
    const show = (grants: (before: readonly PermissionGrant[]) => readonly PermissionGrant[]) =>
      queries.setQueryData<Sharing>(key, (before) => before && { ...before, grants: grants(before.grants) });
    return {
      share: (recipient: Recipient, name: string, role: Role, notify: boolean) =>
        send(texts.shareWith(shownName(item.name), name), ({ files }) =>
          isFolder
            ? files.shareFileFolder(item.id, { ...recipient, role, notify })
            : files.shareFile(item.id, { ...recipient, role, notify }),
        ),
      changeRole: (grant: PermissionGrant, role: Role) => {
        show((grants) => grants.map((one) => (one.id === grant.id ? { ...one, role } : one)));
        const { principal_id, principal_type, principal } = grant;
        const body = { principal_id, principal_type, role };
        return send(texts.shareWith(shownName(item.name), principal.name), ({ files }) =>
          isFolder ? files.shareFileFolder(item.id, body) : files.shareFile(item.id, body),
        );
      },
      revoke: (grant: PermissionGrant) => {
        show((grants) => grants.filter(({ id }) => id !== grant.id));
        return send(texts.unshareWith(shownName(item.name), grant.principal.name), ({ files }) =>
          isFolder
            ? files.revokeFileFolderPermission(item.id, grant.id)
            : files.revokeFilePermission(item.id, grant.id),
        );
      },
    };
  }, [item.id, item.kind, item.name, queries, texts]);
}
