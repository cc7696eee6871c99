import type { Draft } from '../../../../client/src/index.ts';
import type { Content } from './content.ts';
import type { KeptText, KeptTexts } from './kept-text.ts';

/** A file that is attached, as far as it is known. */
export interface AttachedFile {
  name: string;
  size: number;
}

/** How the content stands to what the server has. */
export type Condition =
  | { status: 'untouched' | 'saved' }
  /** `isKept`: the browser has it over a reload. */
  | { status: 'unsaved'; isKept: boolean }
  /** The server has said no, and why. */
  | { status: 'refused'; reason: string }
  /** Another window has changed the same lines. */
  | { status: 'conflict'; theirs: Content }
  /** The draft was sent or discarded elsewhere. */
  | { status: 'gone' };

export interface KeeperState {
  content: Content;
  /** Grows whenever the content has changed otherwise than by this window's person. */
  version: number;
  /** The id of the draft, once the server has it. */
  id: string | undefined;
  files: ReadonlyMap<string, AttachedFile>;
  condition: Condition;
}

export interface Start {
  userId: string;
  /** Names the text in this browser: the id of the draft, or that of a new one. */
  key: string;
  content: Content;
  /** The draft that the server has. */
  draft?: Draft;
  kept: KeptText | undefined;
  texts: KeptTexts;
  files?: Iterable<[string, AttachedFile]>;
  /** The name of a save in the list of what is not saved. */
  label: string;
}

export const UNTOUCHED: Condition = { status: 'untouched' };
export const UNSAVED: Condition = { status: 'unsaved', isKept: false };
export const SAVED: Condition = { status: 'saved' };

/** The draft is another than the one that was to be saved. */
export class OtherState extends Error {
  readonly draft: Draft;

  constructor(draft: Draft) {
    super('Another window has saved the draft');
    this.draft = draft;
  }
}
