import { X } from 'lucide-react';
import type { FileAccess, PermissionGrant } from '../../../../client/src/index.ts';
import { useUser } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { showToast } from '../../app/toasts.tsx';
import { Avatar } from '../../parts/avatar.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPlace } from '../../parts/place.tsx';
import { shownName } from '../../parts/shown-name.ts';
import type { Item } from '../items.ts';
import { useFolders } from '../lists.ts';
import { filesTexts } from '../texts.ts';
import { Invite } from './invite.tsx';
import { RoleSelect } from './role-select.tsx';
import styles from './share-dialog.module.css';
import { useShareWrites, useSharing } from './sharing.ts';

/** Shares an item with people and groups, and tells who reaches it and why. */
export function ShareDialog({ item, onClose }: { item: Item; onClose(): void }) {
  const texts = useTexts(filesTexts);
  const user = useUser();
  const { data, error, refetch } = useSharing(item);
  const own = data?.access.find(({ user_id }) => user_id === user.id);
  const mayShare = own?.role === 'owner' || own?.role === 'manager';
  return (
    <Dialog title={texts.shareTitle(shownName(item.name))} isOpen onClose={onClose}>
      {error && !data ? (
        <ErrorPlace error={error} onRetry={() => void refetch()} />
      ) : (
        data && (
          <div className={styles.body}>
            {mayShare ? <Invite item={item} /> : <p className={styles.quiet}>{texts.mayNotShare}</p>}
            <Grants item={item} grants={data.grants} mayShare={mayShare} />
            <Access access={data.access} />
          </div>
        )
      )}
    </Dialog>
  );
}

interface GrantsProps {
  item: Item;
  grants: readonly PermissionGrant[];
  mayShare: boolean;
}

function Grants({ item, grants, mayShare }: GrantsProps) {
  const texts = useTexts(filesTexts);
  const user = useUser();
  const writes = useShareWrites(item);
  if (grants.length === 0) return null;
  const revoke = (grant: PermissionGrant) => {
    void writes.revoke(grant);
    const { principal_id, principal_type, role, principal } = grant;
    const undo = () => void writes.share({ principal_id, principal_type }, principal.name, role, false);
    showToast({ text: texts.unshared(principal.name), undo });
  };
  return (
    <section>
      <h3 className={styles.heading}>{texts.sharedWith}</h3>
      <ul>
        {grants.map((grant) => {
          const { name, email, type } = grant.principal;
          const isOwn = type === 'user' && grant.principal_id === user.id;
          return (
            <li key={grant.id} className={styles.person}>
              <Avatar name={name} />
              <Who name={name} detail={type === 'group' ? texts.group : (email ?? '')} />
              <RoleSelect
                label={texts.roleOf(name)}
                role={grant.role}
                isDisabled={!mayShare}
                onChange={(role) => void writes.changeRole(grant, role)}
              />
              {(mayShare || isOwn) && (
                <IconButton label={texts.unshare(name)} onPress={() => revoke(grant)}>
                  <X />
                </IconButton>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Who reaches the item in effect, and by what. */
function Access({ access }: { access: readonly FileAccess[] }) {
  const texts = useTexts(filesTexts);
  const { data: folders = [] } = useFolders();
  const reasonOf = ({ source, principal_type, principal, folder_id }: FileAccess): string => {
    if (source === 'ownership') return texts.becauseOwner;
    const where = folder_id && (folders.find(({ id }) => id === folder_id)?.name ?? '');
    const group = principal_type === 'group' ? (principal?.name ?? '') : undefined;
    if (where !== undefined)
      return group === undefined ? texts.becauseFolder(where) : texts.becauseFolderGroup(where, group);
    return group === undefined ? texts.becauseShared : texts.becauseGroup(group);
  };
  return (
    <section>
      <h3 className={styles.heading}>{texts.whoSees(access.length)}</h3>
      <ul aria-label={texts.whoSees(access.length)}>
        {access.map((one) => (
          <li key={one.user_id} className={styles.person}>
            <Avatar name={one.name || one.email} />
            <Who
              name={one.name || one.email}
              detail={`${texts[one.role === 'owner' ? 'owner' : one.role]} · ${reasonOf(one)}`}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Who({ name, detail }: { name: string; detail: string }) {
  return (
    <span className={styles.who}>
      <span className={styles.name} title={name} dir="auto">
        {name}
      </span>
      <span className={styles.detail} title={detail} dir="auto">
        {detail}
      </span>
    </span>
  );
}
