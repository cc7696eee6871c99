import type { IndexedText, SearchedKind } from '../../storage/full-text/full-text-index.ts';
import { fold } from '../../text/fold.ts';
import { wordsOf } from '../../text/words.ts';
import { giveWay } from '../../turns/next-turn.ts';
import type { Atom, Clause, WordsAtom } from './query.ts';
import { WordMatcher } from './word-matcher.ts';

/** The folder of a message, or of what is on the drive. */
interface FolderOfFound {
  readonly id: string;
  readonly name: string;
  /** Of a mail folder. */
  readonly role: string | null;
  /** `trash` and `junk`, where it is that mail folder or lies below it. */
  readonly setAside: readonly string[];
}

/** An object that the caller sees, with what conditions beside its words ask of it. */
export interface Found {
  readonly kind: SearchedKind;
  readonly id: string;
  /** Its place in the order of the answer. */
  readonly place: string;
  /** As the list of its kind shows it, as ready JSON. */
  readonly record: string;
  readonly title: string;
  readonly at: string;
  readonly isTrashed: boolean;
  readonly folder: FolderOfFound | undefined;
  /** Names of flags; undefined for a kind that has none. */
  readonly flags: ReadonlySet<string> | undefined;
  readonly labels: readonly string[];
  /** Bytes; undefined for a kind that has none. */
  readonly size: number | undefined;
  readonly ownerId: string | undefined;
  /** The name under which a file was uploaded. */
  readonly filename?: string | undefined;
}

/** What is read of an object only where it is asked for. */
export interface FoundTexts {
  readonly texts: readonly IndexedText[];
  readonly hasAttachment: boolean;
  /** Whether they are the beginning only. */
  readonly isCut?: boolean;
}

/** What the words of a condition mean for the caller. */
export interface Meaning {
  /** The id of the user that an owner condition names; undefined if there is none. */
  readonly ownerIds: ReadonlyMap<string, string | undefined>;
  readonly seesCells: boolean;
}

/** Whether an object fulfils all clauses. Its texts are read once, whatever the clauses; it gives way in between. */
export async function fulfils(
  clauses: readonly Clause[],
  found: Found,
  { texts, hasAttachment }: FoundTexts,
  meaning: Meaning,
): Promise<boolean> {
  const atoms = clauses.flat().flatMap(({ atom }) => (atom.type === 'words' ? [atom] : []));
  const stand = await standing(atoms, texts, meaning.seesCells);
  const holds = (atom: Atom) => {
    if (atom.type === 'words') return stand.has(atom);
    return atom.type === 'has_attachment' ? hasAttachment : hasProperty(atom, found, meaning);
  };
  return clauses.every((clause) => clause.some(({ isNegated, atom }) => holds(atom) !== isNegated));
}

/** Whether clauses that hold for some texts of an object hold for all of them: nothing is asked that must not be there. */
export function holdForMoreTexts(clauses: readonly Clause[]): boolean {
  return clauses.flat().every(({ isNegated, atom }) => !isNegated || atom.type !== 'words');
}

/** A condition that the index does not know. */
type PropertyAtom = Exclude<Atom, { type: 'words' | 'has_attachment' }>;

/** Whether a condition holds for an object. One that its kind cannot have does not hold. */
function hasProperty(atom: PropertyAtom, found: Found, { ownerIds }: Meaning): boolean {
  switch (atom.type) {
    case 'kind':
      return found.kind === atom.kind;
    case 'before':
      return Date.parse(found.at) < atom.at;
    case 'after':
      return Date.parse(found.at) >= atom.at;
    case 'larger':
      return found.size !== undefined && found.size > atom.bytes;
    case 'smaller':
      return found.size !== undefined && found.size < atom.bytes;
    case 'label':
      return found.labels.some((label) => fold(label) === fold(atom.value));
    case 'in':
      return isIn(found, fold(atom.value));
    case 'owner':
      return found.ownerId !== undefined && found.ownerId === ownerIds.get(atom.value);
    case 'is':
      return found.flags !== undefined && found.flags.has(flagOf(atom.is)) !== (atom.is === 'unread');
  }
}

function flagOf(state: string): string {
  return state === 'unread' ? 'read' : state;
}

function isIn({ folder, isTrashed }: Found, value: string): boolean {
  if (value === 'trash' && isTrashed) return true;
  if (!folder) return false;
  return [folder.id, folder.role ?? '', folder.name, ...folder.setAside].some(
    (name) => name !== '' && fold(name) === value,
  );
}

/** Trash and junk are found only where a condition names the place that the object is in. */
export function isNamedOrInUse(found: Found, clauses: readonly Clause[]): boolean {
  const isSetAside = found.isTrashed || (found.folder?.setAside.length ?? 0) > 0;
  if (!isSetAside) return true;
  return clauses
    .flat()
    .some(({ isNegated, atom }) => !isNegated && atom.type === 'in' && isIn(found, fold(atom.value)));
}

/** Words that are compared between two looks at the clock. */
const WORDS_A_TURN = 500;

/** Those of the conditions whose words stand together in one of the texts of their field. */
async function standing(
  atoms: readonly WordsAtom[],
  texts: readonly IndexedText[],
  seesCells: boolean,
): Promise<Set<WordsAtom>> {
  const stand = new Set<WordsAtom>();
  let read = 0;
  for (const { field, text } of texts) {
    // A spreadsheet has many short ones.
    if (++read % WORDS_A_TURN === 0) await giveWay();
    if (field === 'cells' && !seesCells) continue;
    const searched = atoms.filter((atom) => !stand.has(atom) && isOfField(atom, field));
    const matcher = new WordMatcher(searched);
    let left = searched.length;
    for (const word of left > 0 ? wordsOf(text) : []) {
      if (++read % WORDS_A_TURN === 0) await giveWay();
      for (const { which } of matcher.read(word)) {
        const atom = searched[which];
        if (!atom || stand.has(atom)) continue;
        stand.add(atom);
        left--;
      }
      if (left === 0) break;
    }
  }
  return stand;
}

function isOfField({ field: asked }: WordsAtom, field: IndexedText['field']): boolean {
  return asked === undefined || field === asked || (asked === 'body' && field === 'cells');
}
