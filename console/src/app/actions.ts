import { useEffect, useRef, useSyncExternalStore } from 'react';
import { areSingleKeysOn, isSingleKey } from './single-keys.ts';

/** Something that a person can do on the page at hand: by its key, by the palette, and listed under `?`. */
export interface Action {
  id: string;
  label: string;
  /** A key such as "e", "#", "Shift+u", "Control+k", or two one after the other: "g i". */
  keys?: string;
  /** Also while a person types into a field. */
  evenInFields?: boolean;
  run(): void;
}

/** A second key counts within this time. */
const SEQUENCE_MS = 1000;

let actions: readonly Action[] = [];
const listeners = new Set<() => void>();
const registered = new Map<object, readonly Action[]>();

/** Offers actions while the component is shown. Those of components that came later win over the keys of earlier ones. */
export function useActions(given: readonly Action[]): void {
  const owner = useRef({});
  const latest = useRef(given);
  latest.current = given;
  const shape = JSON.stringify(given.map(({ id, label, keys }) => [id, label, keys]));
  // The shape stands for the actions, which are new at each render.
  useEffect(() => {
    const own = owner.current;
    const stable = latest.current.map((action) => ({
      ...action,
      run: () => latest.current.find(({ id }) => id === action.id)?.run(),
    }));
    registered.set(own, stable);
    changed();
    return () => {
      registered.delete(own);
      changed();
    };
  }, [shape]);
}

/** All actions that are offered now. */
export function useOfferedActions(): readonly Action[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => actions,
  );
}

function changed(): void {
  actions = [...registered.values()].flat();
  for (const listener of listeners) listener();
}

let first: { key: string; at: number } | undefined;

/** Runs the action of a key. Keys belong to fields and open dialogs while these have the focus. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = nameOf(event);
  // A key that is held walks through a list, and does nothing to it.
  if (event.repeat && !/^(?:[jk]|Arrow.*)$/.test(key)) return;
  const inField = isField(event.target);
  const isModal = document.querySelector('[role=dialog],[role=alertdialog],[role=menu]') !== null;
  const sequence = first && Date.now() - first.at < SEQUENCE_MS ? `${first.key} ${key}` : undefined;
  const acting = actionsByKey();
  const lastWith = (keys: string | undefined) => acting.findLast((action) => action.keys === keys);
  const found = (sequence === undefined ? undefined : lastWith(sequence)) ?? lastWith(key);
  first = undefined;
  if (!found) {
    if (!inField && acting.some(({ keys }) => keys.startsWith(`${key} `))) first = { key, at: Date.now() };
    return;
  }
  if (isModal && found.id !== 'palette') return;
  if (inField && !found.evenInFields) return;
  event.preventDefault();
  found.run();
}

/** Those that a key runs, for a person who may have turned single keys off. */
function actionsByKey(): (Action & { keys: string })[] {
  const isOn = areSingleKeysOn();
  return actions.flatMap((action) => {
    const { keys } = action;
    return keys === undefined || (!isOn && isSingleKey(keys)) ? [] : [{ ...action, keys }];
  });
}

/** Shift is in the key of a sign, such as "#"; for letters it is named. */
function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const modifiers = [
    (ctrlKey || metaKey) && 'Control',
    altKey && 'Alt',
    shiftKey && /^(?:[A-Za-z]|.{2,})$/.test(key) && 'Shift',
  ];
  return [...modifiers.filter(Boolean), key.length === 1 ? key.toLowerCase() : key].join('+');
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A box that was ticked takes no text.
  if (target instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(target.type)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
