import { useTexts } from '../../app/texts.ts';
import { filesTexts } from '../texts.ts';
import styles from './share-dialog.module.css';
import { ROLES, type Role } from './sharing.ts';

interface RoleSelectProps {
  label: string;
  role: Role;
  isDisabled?: boolean;
  onChange(role: Role): void;
}

/** The roles in words. */
export function RoleSelect({ label, role, isDisabled = false, onChange }: RoleSelectProps) {
  const texts = useTexts(filesTexts);
  return (
    <select
      className={styles.role}
      aria-label={label}
      value={role}
      disabled={isDisabled}
      onChange={({ target }) => onChange(target.value as Role)}
    >
      {ROLES.map((one) => (
        <option key={one} value={one}>
          {texts[one]}
        </option>
      ))}
    </select>
  );
}
