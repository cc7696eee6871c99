import type { ReactNode } from 'react';
import { Menu as AriaMenu, Header, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { useActingKeys } from '../app/single-keys.ts';
import styles from './menu.module.css';

export interface MenuChoice {
  id: string;
  label: string;
  icon?: ReactNode;
  keys?: string;
  isDisabled?: boolean;
  isDanger?: boolean;
  run(): void;
}

/** A button with a menu. `trigger` is the button; choices in a second list come below a line. */
export function Menu({
  trigger,
  label,
  groups,
}: {
  trigger: ReactNode;
  label: string;
  groups: readonly MenuGroup[];
}) {
  const acting = useActingKeys();
  const run = (id: unknown) =>
    groups
      .flatMap(({ choices }) => choices)
      .find((choice) => choice.id === id)
      ?.run();
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={styles.popover ?? ''}>
        <AriaMenu className={styles.menu ?? ''} aria-label={label} onAction={run}>
          {groups.map((group, index) => (
            <MenuSection
              key={group.title ?? index}
              className={styles.group ?? ''}
              {...(!group.title && { 'aria-label': label })}
            >
              {group.title && <Header className={styles.title}>{group.title}</Header>}
              {group.choices.map((choice) => (
                <MenuItem
                  key={choice.id}
                  id={choice.id}
                  textValue={choice.label}
                  isDisabled={choice.isDisabled ?? false}
                  className={`${styles.item} ${choice.isDanger ? styles.danger : ''}`}
                >
                  {choice.icon}
                  <span className={styles.label}>{choice.label}</span>
                  {acting(choice.keys) && <kbd>{choice.keys}</kbd>}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

export interface MenuGroup {
  title?: string;
  choices: readonly MenuChoice[];
}
