import type {
  FilterAction,
  FilterCondition,
  FilterRule,
  MailFilter,
  Message,
} from '../../../../client/src/index.ts';

/** A condition as the form has it. */
export interface ConditionForm {
  key: number;
  field: string;
  /** Of the field `header`. */
  header: string;
  op: string;
  value: string;
}

/** An action as the form has it; `value` is its folder, label or flag. */
export interface ActionForm {
  key: number;
  type: FilterAction['type'];
  value: string;
}

export interface FilterForm {
  name: string;
  enabled: boolean;
  match: 'all' | 'any';
  conditions: readonly ConditionForm[];
  actions: readonly ActionForm[];
}

export const FIELDS = [
  'from',
  'to',
  'cc',
  'subject',
  'body',
  'list',
  'header',
  'has_attachment',
  'size',
] as const;
export const ACTIONS = ['move', 'add_label', 'set_flag', 'mark_read', 'mark_unread', 'discard'] as const;
export const FLAGS = ['starred', 'read', 'answered', 'draft', 'deleted'] as const;

const TEXT_OPS = ['contains', 'equals', 'starts_with', 'ends_with'] as const;
const SIZE_OPS = ['larger_than', 'smaller_than'] as const;
/** The longest name that the API takes. */
const MAX_NAME = 255;

let lastKey = 0;

export function opsOf(field: string): readonly (typeof TEXT_OPS | typeof SIZE_OPS)[number][] {
  if (field === 'size') return SIZE_OPS;
  return field === 'has_attachment' ? ['equals'] : TEXT_OPS;
}

export function newCondition(field = 'from', value = '', op: string = opsOf(field)[0] ?? ''): ConditionForm {
  return {
    key: ++lastKey,
    field,
    header: '',
    op,
    value: field === 'has_attachment' ? value || 'true' : value,
  };
}

export function newAction(type: FilterAction['type'] = 'move', value = ''): ActionForm {
  return { key: ++lastKey, type, value: type === 'set_flag' ? value || 'starred' : value };
}

export function emptyForm(): FilterForm {
  return { name: '', enabled: true, match: 'all', conditions: [newCondition()], actions: [newAction()] };
}

export function formOf({ name, enabled, rule }: Pick<MailFilter, 'name' | 'enabled' | 'rule'>): FilterForm {
  return {
    name,
    enabled,
    match: rule.match ?? 'all',
    conditions: rule.conditions.map(({ field, op, value }) => {
      const isHeader = field.toLowerCase().startsWith('header:');
      const form = newCondition(isHeader ? 'header' : field, String(value ?? 'true'), op);
      return isHeader ? { ...form, header: field.slice('header:'.length) } : form;
    }),
    actions: rule.actions.map(({ type, folder, label, flag }) => newAction(type, folder ?? label ?? flag)),
  };
}

/** The conditions that say something, or none. */
export function conditionsOf({ conditions }: FilterForm): FilterCondition[] {
  return conditions.filter(isFilled).map(({ field, header, op, value }) => {
    if (field === 'has_attachment') return { field, value: value === 'true' };
    return { field: field === 'header' ? `header:${header.trim()}` : field, op: op as 'contains', value };
  });
}

function isFilled({ field, header, value }: ConditionForm): boolean {
  if (field === 'size') return /^\d+$/.test(value);
  return value !== '' && (field !== 'header' || header.trim() !== '');
}

function actionsOf({ actions }: FilterForm): FilterAction[] {
  return actions.map(({ type, value }) => {
    if (type === 'move') return { type, folder: value };
    if (type === 'add_label') return { type, label: value };
    if (type === 'set_flag') return { type, flag: value as 'starred' };
    return { type };
  });
}

export function ruleOf(form: FilterForm): FilterRule {
  return { match: form.match, conditions: conditionsOf(form), actions: actionsOf(form) };
}

/** Whether all that is begun in the form is filled in. */
export function isComplete(form: FilterForm): boolean {
  const needsValue = ({ type }: ActionForm) => type === 'move' || type === 'add_label';
  return (
    form.name.trim() !== '' &&
    form.conditions.length > 0 &&
    form.actions.length > 0 &&
    form.conditions.every(isFilled) &&
    form.actions.every((action) => !needsValue(action) || action.value.trim() !== '')
  );
}

/** A filter for mail like a message: of its mailing list, or from its sender. */
export function formOfMessage({ addresses, headers, from }: Message): FilterForm {
  const listId = headers.find(({ name }) => name.toLowerCase() === 'list-id')?.value;
  const sender = addresses.from[0];
  const bare = listId && (/<([^<>]+)>/.exec(listId)?.[1] ?? listId.trim());
  const condition = bare
    ? newCondition('list', bare, 'equals')
    : newCondition('from', sender?.address || from);
  const name = (bare || sender?.name || sender?.address || from).replace(/\p{Cc}+/gu, ' ');
  return { ...emptyForm(), name: name.slice(0, MAX_NAME), conditions: [condition] };
}

const UNITS: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** A filter for mail that a search finds; `notTaken` are the parts that a filter cannot tell. */
export function formOfSearch(q: string): { form: FilterForm; notTaken: string[] } {
  const conditions: ConditionForm[] = [];
  const notTaken: string[] = [];
  for (const part of q.match(/[\w-]*:?"[^"]*"|\S+/g) ?? []) {
    const [, operator = '', quoted = ''] = /^(?:([a-z]+):)?(.*)$/is.exec(part) ?? [];
    const value = quoted.replaceAll('"', '').replace(/\*$/, '');
    const size = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(value);
    if (/^(?:from|to|cc|subject|body)$/i.test(operator) && value)
      conditions.push(newCondition(operator.toLowerCase(), value));
    else if (/^has:attachment$/i.test(part)) conditions.push(newCondition('has_attachment'));
    else if (/^(?:larger|smaller)$/i.test(operator) && size) {
      const bytes = Math.round(Number(size[1]) * (UNITS[size[2]?.toLowerCase() ?? ''] ?? 1));
      conditions.push(newCondition('size', String(bytes), `${operator.toLowerCase()}_than`));
    } else if (operator || part === 'OR' || part.startsWith('-') || !value) notTaken.push(part);
    else conditions.push(newCondition('body', value));
  }
  const form = {
    ...emptyForm(),
    name: q
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, MAX_NAME),
  };
  return { form: conditions.length > 0 ? { ...form, conditions } : form, notTaken };
}

/** The priorities that have to change for filters to run in the given order, where one of them has been moved. */
export function prioritiesFor(
  order: readonly { id: string; priority: number }[],
  movedId: string,
): Map<string, number> {
  const changed = new Map<string, number>();
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, { id, priority }] of order.entries()) {
    const next = order[index + 1]?.priority;
    const isFree = priority > last && (id !== movedId || next === undefined || priority < next);
    let wanted = priority;
    if (!isFree) {
      if (last === Number.NEGATIVE_INFINITY) wanted = (next ?? priority) - 1;
      else wanted = last + 1;
    }
    if (wanted !== priority) changed.set(id, wanted);
    last = wanted;
  }
  return changed;
}
