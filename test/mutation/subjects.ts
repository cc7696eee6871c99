/** Rules that are tested by mutation: each file, and the tests of its area that kill its mutants, the quickest first. */
export type Subject = Readonly<Record<string, readonly string[]>>;

const SHARING = ['test/areas/files-sharing.test.ts'];
const CALLERS = ['test/api/authentication.test.ts'];
const KEYS = ['test/areas/keys-rules.test.ts', 'test/areas/keys-made-by-keys.test.ts'];
const SCHEMAS = ['test/api/violations.test.ts', 'test/api/schema-check.test.ts'];
const FILTERS = ['test/areas/mail-filter-evaluation.test.ts'];
const SLOTS = ['test/areas/calendar-free-slots.test.ts'];
const TIMES = ['test/areas/calendar-times-within.test.ts'];
const RANGES = ['test/areas/spreadsheets-a1.test.ts'];
const STRUCTURE = ['test/areas/spreadsheets-structure-model.test.ts'];

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  roles: {
    'src/areas/drive/rights.ts': [...SHARING, 'test/areas/files-roles.test.ts'],
    'src/areas/drive/sharing/access.ts': SHARING,
    'src/areas/drive/sharing/grants.ts': [...SHARING, 'test/areas/wrong-values.test.ts'],
  },
  permissions: {
    'src/contract/permissions.ts': CALLERS,
    'src/contract/principal.ts': CALLERS,
    'src/areas/keys/rules.ts': KEYS,
  },
  validation: {
    'src/contract/validation.ts': SCHEMAS,
    'src/contract/violations.ts': SCHEMAS,
    'src/contract/required-values.ts': ['test/api/required-values.test.ts'],
    'src/contract/json.ts': ['test/api/json.test.ts'],
  },
  filters: {
    'src/areas/mail/filters/evaluation.ts': FILTERS,
    'src/areas/mail/filters/message-texts.ts': FILTERS,
  },
  intervals: {
    'src/areas/calendar/recurrence/intervals.ts': SLOTS,
    'src/areas/calendar/availability/agendas.ts': SLOTS,
    'src/areas/calendar/availability/free-slots.ts': SLOTS,
    'src/areas/calendar/availability/marked-times.ts': TIMES,
    'src/areas/calendar/recurrence/times-within.ts': TIMES,
  },
  ranges: {
    'src/areas/spreadsheets/cells/a1.ts': RANGES,
    'src/areas/spreadsheets/cells/axis.ts': RANGES,
    'src/areas/spreadsheets/structure/references.ts': RANGES,
    'src/areas/spreadsheets/structure/structure-model.ts': STRUCTURE,
  },
};
