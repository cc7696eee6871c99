import { useEffect, useMemo, useSyncExternalStore } from 'react';

/** Something that the server does not have yet, beside the writes of the outbox. */
export interface Unsaved {
  /** The same thing is counted once. */
  id: string;
  label(): string;
  /** It is being saved; it waits for the person or for another window; or it needs the person. */
  state: 'saving' | 'waiting' | 'problem';
  /** How it stands, in words. */
  detail?: (() => string) | undefined;
  /** How many things it stands for. Default: 1. */
  count?: number;
  /** The lane of the outbox in which it is saved: what waits there is the same thing. */
  lane?: string;
  /** The address in the console where it goes on. */
  place?: string;
  /** Gives it up. Resolves to its text. */
  discard?: () => Promise<string>;
  /** What becomes of it with the page: it is lost; it is kept, but goes on with this page alone; it does not depend on it. */
  withPage: 'lost' | 'kept' | 'apart';
}

const told = new Map<object, readonly Unsaved[]>();
const listeners = new Set<() => void>();
let things: readonly Unsaved[] = [];

/** Tells what of an owner is not saved. Of two with one id, that of this page counts. */
export function tellUnsaved(owner: object, owned: readonly Unsaved[]): void {
  if (owned.length === 0 && !told.has(owner)) return;
  if (owned.length === 0) told.delete(owner);
  else told.set(owner, owned);
  const byId = new Map<string, Unsaved>();
  for (const thing of [...told.values()].flat()) {
    const known = byId.get(thing.id);
    if (!known || known.withPage === 'apart') byId.set(thing.id, thing);
  }
  things = [...byId.values()];
  for (const listener of listeners) listener();
}

export function unsavedThings(): readonly Unsaved[] {
  return things;
}

export function subscribeUnsaved(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useUnsavedThings(): readonly Unsaved[] {
  return useSyncExternalStore(subscribeUnsaved, unsavedThings);
}

/** Tells, while the component is shown, that a form has been filled in and is not saved: it goes with the page. */
export function useUnsavedForm(label: string | undefined): void {
  const owner = useMemo(() => ({}), []);
  const id = useMemo(() => `form ${++lastForm}`, []);
  useEffect(() => {
    tellUnsaved(
      owner,
      label === undefined ? [] : [{ id, label: () => label, state: 'waiting', withPage: 'lost' }],
    );
  }, [owner, id, label]);
  useEffect(() => () => tellUnsaved(owner, []), [owner]);
}

let lastForm = 0;
