import styles from './avatar.module.css';

const HUES = 12;

/** The initials of a person on a colour of their own; for the eye alone, since the name stands beside them. */
export function Avatar({ name }: { name: string }) {
  const words = name.split(/[\s@.]+/u).filter(Boolean);
  const initials = words.slice(0, 2).map((word) => [...word][0] ?? '');
  return (
    <span
      className={styles.avatar}
      data-hue={hueOf(name)}
      data-initials={initials.join('').toUpperCase()}
      aria-hidden="true"
    />
  );
}

function hueOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_536;
  return sum % HUES;
}
