import { useSyncExternalStore } from 'react';
import { session, useSession } from './session.ts';

/** A key that a slip of the hand or a word of a speech input types: one sign, or several after each other. */
const SIGNS = /^(?:Shift\+)?.(?: (?:Shift\+)?.)*$/u;
const OFF = 'off';
const listeners = new Set<() => void>();
addEventListener('storage', changed);

/** Whether keys without Control or Alt act (WCAG 2.2, 2.1.4). Each user of this browser chooses for themselves. */
export function areSingleKeysOn(): boolean {
  const state = session.state();
  return state.phase !== 'signed in' || isOnFor(state.user.id);
}

export function useAreSingleKeysOn(): boolean {
  useSession();
  return useSyncExternalStore(subscribe, areSingleKeysOn);
}

export function setSingleKeysOn(userId: string, isOn: boolean): void {
  if (isOn) localStorage.removeItem(nameFor(userId));
  else localStorage.setItem(nameFor(userId), OFF);
  changed();
}

/** Whether a key is one that the switch turns off. Keys such as Escape, F2 and the arrows always act. */
export function isSingleKey(keys: string): boolean {
  return SIGNS.test(keys);
}

/** Answers a function that gives the keys of something back where they act now, for what shows them. */
export function useActingKeys(): (keys: string | undefined) => string | undefined {
  const isOn = useAreSingleKeysOn();
  return (keys) => (keys !== undefined && !isOn && isSingleKey(keys) ? undefined : keys);
}

function isOnFor(userId: string): boolean {
  return localStorage.getItem(nameFor(userId)) !== OFF;
}

function nameFor(userId: string): string {
  return `atrium-single-keys-${userId}`;
}

function changed(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
