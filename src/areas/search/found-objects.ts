import type { ReadTransaction } from '../../storage/database.ts';
import type { Hit, SearchedKind } from '../../storage/full-text/full-text-index.ts';
import type { ContactsService, FoundContact } from '../contacts/service.ts';
import type { DriveOwner, FilesService, FoundNode } from '../drive/service.ts';
import type { FoundMessage, MailService } from '../mail/service.ts';
import type { Found } from './evaluation.ts';

/** The services that show objects. */
export interface ShowingServices {
  readonly mail: MailService;
  readonly contacts: ContactsService;
  readonly files: FilesService;
}

type Shown = Omit<Found, 'place'>;

/** The objects of hits that the user sees now, in the order of the hits. */
export async function findHits(
  tx: ReadTransaction,
  { mail, contacts, files }: ShowingServices,
  { workspaceId, userId }: DriveOwner,
  hits: readonly Hit[],
): Promise<Found[]> {
  const user = { workspaceId, userId };
  const [messages, people, nodes] = [['message'], ['contact'], ['file', 'document', 'spreadsheet']].map(
    (kinds) => hits.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id),
  ) as [string[], string[], string[]];
  const shown = [
    ...(messages.length > 0 ? (await mail.foundMessages(tx, user, messages)).map(message) : []),
    ...(people.length > 0 ? (await contacts.foundContacts(tx, user, people)).map(contact) : []),
    ...(nodes.length > 0 ? (await files.foundNodes(tx, user, nodes)).map(node) : []),
  ];
  const byId = new Map(shown.map((one) => [one.id, one]));
  return hits.flatMap(({ id, place }) => {
    const one = byId.get(id);
    return one ? [placed(one, place)] : [];
  });
}

function placed(shown: Shown, place: string): Found {
  return Object.assign(shown, { place });
}

function message({ id, record, title, at, folder, flags, labels, size }: FoundMessage): Shown {
  const kind: SearchedKind = 'message';
  return { kind, id, record, title, at, folder, flags, labels, size, isTrashed: false, ownerId: undefined };
}

function contact({ id, record, title, at, isTrashed }: FoundContact): Shown {
  const none = { folder: undefined, flags: undefined, labels: [], size: undefined, ownerId: undefined };
  return Object.assign({ kind: 'contact' as const, id, record, title, at, isTrashed }, none);
}

function node({ kind, id, record, title, at, isTrashed, folder, size, ownerId, filename }: FoundNode): Shown {
  const above = folder && { id: folder.id, name: folder.name, role: null, setAside: [] };
  return {
    kind,
    id,
    record,
    title,
    at,
    isTrashed,
    folder: above,
    flags: undefined,
    labels: [],
    size,
    ownerId,
    filename,
  };
}
