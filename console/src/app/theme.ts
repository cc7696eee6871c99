import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'comfortable' | 'compact';

const listeners = new Set<() => void>();
let looks = {
  theme: stored('theme', ['system', 'light', 'dark']),
  density: stored('density', ['comfortable', 'compact']),
};
apply();

export function useLooks(): { theme: Theme; density: Density } {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => looks,
  );
}

export function setTheme(theme: Theme): void {
  localStorage.setItem('atrium-theme', theme);
  change({ ...looks, theme });
}

export function setDensity(density: Density): void {
  localStorage.setItem('atrium-density', density);
  change({ ...looks, density });
}

function change(chosen: typeof looks): void {
  looks = chosen;
  apply();
  for (const listener of listeners) listener();
}

function apply(): void {
  const { dataset } = document.documentElement;
  if (looks.theme === 'system') delete dataset.theme;
  else dataset.theme = looks.theme;
  dataset.density = looks.density;
}

function stored<T extends string>(name: string, values: readonly [T, ...T[]]): T {
  const value = localStorage.getItem(`atrium-${name}`);
  return values.find((one) => one === value) ?? values[0];
}
