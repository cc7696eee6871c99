import { missingPermission } from '../../contract/errors.ts';
import { ALL_PERMISSIONS, type Permission } from '../../contract/permissions.ts';

const WITHHELD_FROM_AGENTS: ReadonlySet<Permission> = new Set([
  'mail.messages.send',
  'files.share',
  'keys.write',
  'directory.write',
  'webhooks.write',
]);

/** Sets of permissions by name. An agent does not send, share, or decide who may do what. */
const PRESETS = {
  agent: ALL_PERMISSIONS.filter((permission) => !WITHHELD_FROM_AGENTS.has(permission)),
  mail: ALL_PERMISSIONS.filter((permission) => permission.startsWith('mail.')),
  drive: ALL_PERMISSIONS.filter((permission) => /^(?:files|docs|sheets)\./.test(permission)),
  'read-only': ALL_PERMISSIONS.filter((permission) => permission.endsWith('.read')),
} as const satisfies Record<string, readonly Permission[]>;

export type Preset = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as Preset[];

/** The permissions of a preset that the caller has. Throws ApiError insufficient_scope where it has none of them. */
export function permissionsOf(preset: Preset, held: ReadonlySet<Permission>): Permission[] {
  const granted = PRESETS[preset].filter((permission) => held.has(permission));
  if (granted.length === 0) throw missingPermission(PRESETS[preset][0] ?? preset);
  return granted;
}
