import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components';
import { useActingKeys } from '../app/single-keys.ts';
import styles from './button.module.css';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** `primary`: the one thing that the page is for; `quiet`: without a frame; `danger`: what cannot be undone. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  children: ReactNode;
}

export function Button({ kind = 'plain', children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={`${styles.button} ${styles[kind] ?? ''}`}>
      {children}
    </AriaButton>
  );
}

interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** What it does: the name for screen readers, and the tooltip. */
  label: string;
  /** The key that does the same, shown in the tooltip. */
  keys?: string;
  isOn?: boolean;
  /** The icon. */
  children: ReactNode;
}

export function IconButton({ label, keys, isOn, children, ...props }: IconButtonProps) {
  const shown = useActingKeys()(keys);
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      <AriaButton
        {...props}
        aria-label={label}
        className={styles.icon}
        {...(isOn !== undefined && { 'aria-pressed': isOn })}
      >
        {children}
      </AriaButton>
      <Tooltip className={styles.tooltip} offset={6}>
        {label}
        {shown && <kbd>{shown}</kbd>}
      </Tooltip>
    </TooltipTrigger>
  );
}
