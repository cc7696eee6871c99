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
    'src/areas/files/roles.ts': ['test/areas/files-roles.test.ts'],
    'src/areas/files/rights.ts': SHARING,
    'src/areas/files/access.ts': SHARING,
    'src/areas/files/sharing.ts': [...SHARING, 'test/areas/wrong-values.test.ts'],
  },
  permissions: {
    'src/api/permissions.ts': CALLERS,
    'src/api/authentication.ts': CALLERS,
    'src/areas/keys/rules.ts': KEYS,
  },
  validation: {
    'src/api/schema-check.ts': SCHEMAS,
    'src/api/violations.ts': SCHEMAS,
    'src/api/required-values.ts': ['test/api/required-values.test.ts'],
    'src/api/json.ts': ['test/api/json.test.ts'],
  },
  filters: {
    'src/areas/mail/filters/evaluation.ts': FILTERS,
    'src/areas/mail/filters/message-texts.ts': FILTERS,
  },
  intervals: {
    'src/areas/calendar/intervals.ts': SLOTS,
    'src/areas/calendar/agendas.ts': SLOTS,
    'src/areas/calendar/free-slots.ts': SLOTS,
    'src/areas/calendar/marked-times.ts': TIMES,
    'src/areas/calendar/times-within.ts': TIMES,
  },
  ranges: {
    'src/areas/spreadsheets/a1.ts': RANGES,
    'src/areas/spreadsheets/axis.ts': RANGES,
    'src/areas/spreadsheets/references.ts': RANGES,
    'src/areas/spreadsheets/structure-model.ts': STRUCTURE,
  },
};
