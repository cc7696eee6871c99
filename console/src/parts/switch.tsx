import { useId } from 'react';
import { Switch as AriaSwitch } from 'react-aria-components';
import styles from './switch.module.css';

interface SwitchProps {
  label: string;
  /** What follows from it, shown below. */
  hint?: string;
  isOn: boolean;
  onChange(isOn: boolean): void;
}

/** Something that is on or off, and acts at once. */
export function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className={styles.place}>
      <AriaSwitch
        className={styles.switch ?? ''}
        isSelected={isOn}
        onChange={onChange}
        {...(hint !== undefined && { 'aria-describedby': id })}
      >
        <span className={styles.track} aria-hidden="true" />
        {label}
      </AriaSwitch>
      {hint && (
        <p id={id} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
