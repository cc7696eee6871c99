import { missingPermission } from './errors.ts';
import type { Permission } from './permissions.ts';

const created = ['created', 'changed'] as const;
const trashable = [...created, 'trashed', 'restored'] as const;
const shareable = [...trashable, 'shared', 'unshared'] as const;

/** By kind of object: its events, and the permissions that show them. Any one of these permissions is enough. */
const KINDS = {
  message: { events: [...created, 'moved', 'expunged', 'restored'], needs: ['mail.messages.read'] },
  folder: { events: [...created, 'deleted'], needs: ['mail.messages.read'] },
  filter: { events: [...created, 'deleted'], needs: ['mail.settings.read'] },
  contact: { events: trashable, needs: ['contacts.read'] },
  address_book: { events: created, needs: ['contacts.read'] },
  file: { events: shareable, needs: ['files.read', 'docs.documents.read'] },
  file_folder: { events: shareable, needs: ['files.read', 'docs.documents.read'] },
  document: { events: shareable, needs: ['docs.documents.read'] },
  spreadsheet: { events: shareable, needs: ['docs.documents.read'] },
  access: { events: ['changed'], needs: ['files.read', 'docs.documents.read'] },
  calendar: { events: created, needs: ['calendar.events.read'] },
  event: { events: [...created, 'deleted', 'responded'], needs: ['calendar.events.read'] },
  user: { events: created, needs: ['directory.read'] },
  group: { events: created, needs: ['directory.read'] },
  resource: { events: created, needs: ['directory.read'] },
  api_key: { events: ['created', 'revoked'], needs: ['keys.read'] },
} as const satisfies Record<string, { events: readonly string[]; needs: readonly Permission[] }>;

type Kinds = typeof KINDS;

/** Every type of change, such as `message.created`. */
export type ChangeType = {
  [Kind in keyof Kinds & string]: `${Kind}.${Kinds[Kind]['events'][number]}`;
}[keyof Kinds & string];

/** Every type, in the order of the reference. */
export const CHANGE_TYPES = Object.entries(KINDS).flatMap(([kind, { events }]) =>
  events.map((event) => `${kind}.${event}`),
) as ChangeType[];

/** The values that `types` accepts: a type, or all types of a kind, such as `message.*`. */
export const TYPE_NAMES = [...CHANGE_TYPES, ...Object.keys(KINDS).map((kind) => `${kind}.*`)];

/**
 * The requested types that these permissions show; without a request, all types that they show. Throws ApiError
 * insufficient_scope for a type that is requested by its full name and not shown.
 */
export function shownTypes(
  permissions: ReadonlySet<Permission>,
  asked: readonly string[] | undefined,
): ReadonlySet<string> {
  if (asked === undefined)
    return new Set(CHANGE_TYPES.filter((type) => lackOf(type, permissions) === undefined));
  const named = asked.flatMap((name) => CHANGE_TYPES.filter((type) => isNamed(type, name)));
  const lacks = named.map((type) => lackOf(type, permissions)).find((lack) => lack !== undefined);
  if (lacks !== undefined) throw missingPermission(lacks);
  return new Set(named);
}

/** Of a name that is no text, which a service refuses afterwards, false. */
function isNamed(type: string, name: unknown): boolean {
  const isKind = typeof name === 'string' && name.endsWith('.*');
  return isKind ? type.startsWith(name.slice(0, -1)) : type === name;
}

/** The permission that is missing to see a type; undefined where the type is shown. */
function lackOf(type: ChangeType, permissions: ReadonlySet<Permission>): Permission | undefined {
  const { needs } = KINDS[type.slice(0, type.indexOf('.')) as keyof Kinds];
  if (!needs.some((permission) => permissions.has(permission))) return needs[0];
  const reads = type === 'spreadsheet.changed' ? 'sheets.values.read' : undefined;
  return reads && !permissions.has(reads) ? reads : undefined;
}
