import { language } from '../../app/texts.ts';
import { tellUnsaved, type Unsaved } from '../../app/unsaved.ts';
import { textOf } from '../../app/write-text.ts';
import { bodyOf } from './content.ts';
import { laneOf, placeOf, unsavedId } from './draft-names.ts';
import { allKept, dropKept, type KeptSomewhere, listenToKept } from './kept-text.ts';
import { composeTexts } from './texts.ts';

/** Finds the texts of drafts that this browser keeps, whichever window has left them, and offers them. */
class KeptDrafts {
  #asked = 0;

  /** Begins for a user. Returns a function that ends it. */
  open(userId: string): () => void {
    const look = () => void this.#look(userId);
    const unlisten = listenToKept(look);
    addEventListener('storage', look);
    look();
    return () => {
      unlisten();
      removeEventListener('storage', look);
      this.#asked++;
      tellUnsaved(this, []);
    };
  }

  async #look(userId: string): Promise<void> {
    const asked = ++this.#asked;
    const all = await allKept(userId);
    if (asked === this.#asked) tellUnsaved(this, all.map(unsavedOf));
  }
}

function unsavedOf({ name, key, kept, isElsewhere }: KeptSomewhere): Unsaved {
  const texts = () => composeTexts[language()];
  const common: Unsaved = {
    id: unsavedId(key),
    label: () => texts().keptText(kept.content.subject),
    state: 'waiting',
    lane: laneOf(key),
    withPage: 'apart',
  };
  if (isElsewhere) return { ...common, detail: () => texts().elsewhere };
  const discard = async () => {
    dropKept(name);
    return textOf({ path: '', body: bodyOf(kept.content) });
  };
  return { ...common, detail: () => texts().keptHere, place: placeOf(key), discard };
}

export const keptDrafts = new KeptDrafts();
