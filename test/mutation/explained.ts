/** A mutant that no test can kill, or that none needs to. */
export interface Explanation {
  readonly file: string;
  /** The line on which it begins, without indentation. */
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
  readonly why: string;
}

type Change = readonly [line: string, original: string, replacement: string];

/** Mutants of one file that survive for one reason. */
function explained(file: string, why: string, ...changes: readonly Change[]): Explanation[] {
  return changes.map(([line, original, replacement]) => ({ file, line, original, replacement, why }));
}

const ACCESS = 'src/areas/drive/sharing/access.ts';
const BY_USER =
  "return Number(other.role === 'owner') - Number(way.role === 'owner') || (id < otherId ? -1 : 1);";
const SHARING = 'src/areas/drive/sharing/grants.ts';
const AUTHENTICATION = 'src/contract/principal.ts';
const KEY_RULES = 'src/areas/keys/rules.ts';
const CHECK = 'src/contract/validation.ts';
const VIOLATIONS = 'src/contract/violations.ts';
const REQUIRED = 'src/contract/required-values.ts';
const JSON_READING = 'src/contract/json.ts';
const EVALUATION = 'src/areas/mail/filters/evaluation.ts';
const INTERVALS = 'src/areas/calendar/recurrence/intervals.ts';
const SLOTS = 'src/areas/calendar/availability/free-slots.ts';
const LOOK = 'if (++steps % STEPS_PER_CLOCK_CHECK === 0) await giveWay();';
const MARKED = 'src/areas/calendar/availability/marked-times.ts';
const TIMES = 'src/areas/calendar/recurrence/times-within.ts';
const A1 = 'src/areas/spreadsheets/cells/a1.ts';
const AXIS = 'src/areas/spreadsheets/cells/axis.ts';
const REFERENCES = 'src/areas/spreadsheets/structure/references.ts';

const CONCERNED = 'this.#isConcerned = steps.some((step) => isLineStep(step) && step.sheet.id === home);';
const TOKENS =
  'for (const { type, value } of tokensOf(formula, { withLocation: false, negativeNumbers: false })) {';

const WHOLE_MINUTES = 'if (firstMinute * MINUTE === from && endMinute * MINUTE === to)';
const FEW_OTHERS = 'if (length < MANY) this.#grow();';
const WITH_SECONDS = 'if (this.#count > 0 || this.#seconds) {';

/** The mutants of the line that empties a memory of the reference follower. */
function cleared(memory: 'followed' | 'paths'): Change[] {
  const size = `this.#${memory}.size`;
  const isFull = `${size} >= MOST_REMEMBERED`;
  const line = `if (${isFull}) this.#${memory}.clear();`;
  return [
    ...['true', 'false', `${size} > MOST_REMEMBERED`, `${size} < MOST_REMEMBERED`].map(
      (replacement): Change => [line, isFull, replacement],
    ),
    [line, `this.#${memory}.clear();`, ';'],
  ];
}

export const EXPLAINED: readonly Explanation[] = [
  ...explained(
    SLOTS,
    'How often others have their turn changes nothing of what is found.',
    [LOOK, '++steps % STEPS_PER_CLOCK_CHECK === 0', 'true'],
    [LOOK, '++steps % STEPS_PER_CLOCK_CHECK === 0', 'false'],
    [LOOK, '++steps % STEPS_PER_CLOCK_CHECK === 0', '++steps % STEPS_PER_CLOCK_CHECK !== 0'],
    [LOOK, '++steps % STEPS_PER_CLOCK_CHECK', '++steps * STEPS_PER_CLOCK_CHECK'],
    [LOOK, '++steps', '--steps'],
  ),
  ...explained(SLOTS, 'A reason that is none stands before all others, so it replaces none.', [
    'if (reason) this.#stoppedBy(reason);',
    'reason',
    'true',
  ]),
  ...explained(TIMES, 'Times are united only where there are some.', [
    'if (last) yield last;',
    'last',
    'true',
  ]),
  ...explained(ACCESS, 'Whoever reaches a file may list its grants: no role is too low.', [
    "const { node } = await rights.require(tx, user, wanted, 'listGrants');",
    "'listGrants'",
    '""',
  ]),
  ...explained(
    SHARING,
    'Whoever reaches a file may list its grants: no role is too low.',
    ["const { node } = await rights.require(tx, user, wanted, 'listGrants');", "'listGrants'", '""'],
    ["const reached = await rights.requireLocked(tx, user, wanted, 'listGrants');", "'listGrants'", '""'],
  ),
  ...explained(ACCESS, 'Each principal that is asked for is in the answer; the types cannot say so.', [
    'for (const userId of users.get(principalId) ?? []) {',
    '[]',
    '["Stryker was here"]',
  ]),
  ...explained(
    ACCESS,
    'The owner comes into the list first, and what is sorted is compared with what came before it.',
    [BY_USER, "way.role === 'owner'", 'false'],
    [
      BY_USER,
      "Number(other.role === 'owner') - Number(way.role === 'owner')",
      "Number(other.role === 'owner') + Number(way.role === 'owner')",
    ],
    [BY_USER, "'owner'", '""'],
  ),
  ...explained(ACCESS, 'No user is there twice.', [BY_USER, 'id < otherId', 'id <= otherId']),
  ...explained(AUTHENTICATION, 'Generations are only told from each other.', [
    'this.#generation++;',
    'this.#generation++',
    'this.#generation--',
  ]),
  ...explained(AUTHENTICATION, 'Neither text is the header of a key.', [
    "const token = /^bearer +([\\x21-\\x7e]+) *$/i.exec(authorization ?? '')?.[1];",
    "''",
    '"Stryker was here!"',
  ]),
  ...explained(KEY_RULES, 'What is undefined is no time that is later.', [
    'if (expiresAt === undefined || !(Date.parse(expiresAt) > makerEnds)) return [];',
    'expiresAt === undefined',
    'false',
  ]),
  ...explained(
    CHECK,
    'The list of violations takes no more once it is full: this saves the time to look for others.',
    ['if (found.isFull) return;', 'found.isFull', 'false'],
  ),
  ...explained(
    VIOLATIONS,
    'The list of violations takes no more once it is full: this saves the time to look for others.',
    ['get isFull(): boolean {', '{\n    return this.#hasMore;\n  }', '{}'],
  ),
  ...explained(
    CHECK,
    'What is kept is made anew where it is not found: this saves the time for it.',
    ['typesOnly.set(type, schema);', 'typesOnly.set(type, schema);', ';'],
    ['validators.set(schema, validator);', 'validators.set(schema, validator);', ';'],
  ),
  ...explained(
    CHECK,
    'Of a value that fits the library tells no errors: this saves the time to collect none.',
    ['if (validatorOf(schema).Check(value)) return;', 'validatorOf(schema).Check(value)', 'false'],
  ),
  ...explained(
    CHECK,
    'An alternative without a type is for values of every type, as is the schema of an undefined type.',
    [
      'if (type !== undefined && !validatorOf(typeOnly(type)).Check(value)) return false;',
      'type !== undefined',
      'true',
    ],
  ),
  ...explained(
    CHECK,
    'An alternative that describes members is for objects, so that others do not come here.',
    ['if (!isObject(value)) return true;', '!isObject(value)', 'false'],
  ),
  ...explained(REQUIRED, 'No member has this name.', [
    'const { properties = {}, required = [] } = schema as Keywords;',
    '[]',
    '["Stryker was here"]',
  ]),
  ...explained(
    JSON_READING,
    'A single member is no key given twice: this saves the time to count it.',
    ['if (members > 1 && countMembers(value) !== members) {', 'members > 1', 'true'],
    ['if (members > 1 && countMembers(value) !== members) {', 'members > 1', 'members >= 1'],
  ),
  ...explained(JSON_READING, 'Behind the end of a text is no character that means anything.', [
    'for (let i = 0; i < text.length; i++) {',
    'i < text.length',
    'i <= text.length',
  ]),
  ...explained(
    JSON_READING,
    'Before a text, and before its first quote, stands no backslash: there, nothing is escaped.',
    ["while (end !== -1 && isEscaped(text, end)) end = text.indexOf('\"', end + 1);", 'end !== -1', 'true'],
    ["while (end !== -1 && isEscaped(text, end)) end = text.indexOf('\"', end + 1);", '-1', '+1'],
  ),
  ...explained(EVALUATION, 'All and any of conditions take what is undefined for false.', [
    'regex: () => false,',
    '() => false',
    '() => undefined',
  ]),
  ...explained(
    INTERVALS,
    'The middle of a part of the list is always in the list; the types cannot say so.',
    [
      'if ((intervals[middle]?.end ?? 0) <= start) low = middle + 1;',
      'intervals[middle]?.end',
      'intervals[middle].end',
    ],
  ),
  ...explained(
    SLOTS,
    'Of those alike no more than are asked for are answered in any case: this bounds the memory of the search.',
    ['if (alike.length < maxResults) alike.push(candidate);', 'alike.length < maxResults', 'true'],
    [
      'if (alike.length < maxResults) alike.push(candidate);',
      'alike.length < maxResults',
      'alike.length <= maxResults',
    ],
  ),
  ...explained(
    SLOTS,
    'None can be better than those that nobody misses: this ends the search sooner, with the same answer.',
    ['if (best.get(0)?.length === maxResults) break;', 'best.get(0)?.length === maxResults', 'false'],
  ),
  ...explained(SLOTS, 'The same reason again leaves it the same.', [
    'if (REASONS.indexOf(reason) > REASONS.indexOf(this.#reason)) this.#reason = reason;',
    'REASONS.indexOf(reason) > REASONS.indexOf(this.#reason)',
    'REASONS.indexOf(reason) >= REASONS.indexOf(this.#reason)',
  ]),
  ...explained(SLOTS, 'No candidate has this reason, so that -1 comes before the others as 0 does.', [
    "'window_too_short',",
    "'window_too_short'",
    '""',
  ]),
  ...explained(
    MARKED,
    'Behind the last word nothing is marked, and what is found there is cut at the count.',
    [
      'if (word >= this.#words.length) return this.#count;',
      'word >= this.#words.length',
      'word > this.#words.length',
    ],
  ),
  ...explained(
    TIMES,
    'What is not marked as minutes is kept in seconds, with the same union: minutes save time and room.',
    ['const firstMinute = (from / MINUTE) | 0;', 'from / MINUTE', 'from * MINUTE'],
    ['const endMinute = (to / MINUTE) | 0;', 'to / MINUTE', 'to * MINUTE'],
    [WHOLE_MINUTES, 'firstMinute * MINUTE === from && endMinute * MINUTE === to', 'false'],
    [WHOLE_MINUTES, 'firstMinute * MINUTE', 'firstMinute / MINUTE'],
    [WHOLE_MINUTES, 'endMinute * MINUTE', 'endMinute / MINUTE'],
  ),
  ...explained(
    TIMES,
    'Whether times are marked by the second, and from when, makes no other union: it saves room, and sorting.',
    ...['true', 'false', 'length <= MANY', 'length >= MANY'].map(
      (replacement): Change => [FEW_OTHERS, 'length < MANY', replacement],
    ),
    [WITH_SECONDS, 'this.#count > 0 || this.#seconds', 'true'],
    [WITH_SECONDS, 'this.#count > 0', 'this.#count >= 0'],
  ),
  ...explained(A1, 'A text without "!" does not match the expression: this saves the time to try it.', [
    "text.includes('!') ? text.replace(SHEET_AT_BOTH_ENDS, '$1$2:$3') : text,",
    "'!'",
    '""',
  ]),
  ...explained(
    A1,
    'What is there in any case is only undefined for the types.',
    ["const from = endOf(ends[0] ?? '', text);", "''", '"Stryker was here!"'],
    [
      `if (quoted) return { sheet: quoted[1]?.replaceAll("''", "'"), cells: quoted[2] ?? '' };`,
      'quoted[1]?.replaceAll',
      'quoted[1].replaceAll',
    ],
    [
      `if (quoted) return { sheet: quoted[1]?.replaceAll("''", "'"), cells: quoted[2] ?? '' };`,
      "''",
      '"Stryker was here!"',
    ],
  ),
  ...explained(A1, 'What takes every character ends at the end of the text.', [
    "const quoted = /^'((?:[^']|'')+)'!(.*)$/s.exec(text);",
    "/^'((?:[^']|'')+)'!(.*)$/s",
    "/^'((?:[^']|'')+)'!(.*)/s",
  ]),
  ...explained(A1, 'The whole of a match is not looked at, only its groups.', [
    'const [, letters, digits] = match ?? [];',
    '[]',
    '["Stryker was here"]',
  ]),
  ...explained(
    A1,
    'What is undefined is neither less nor more than a number; the comparison by itself does not pass the types.',
    ['if (column !== undefined && column >= COLUMNS) {', 'column !== undefined', 'true'],
    ['if (row !== undefined && (row < 0 || row >= ROWS)) {', 'row !== undefined', 'true'],
  ),
  ...explained(
    AXIS,
    'The rest of the function answers the same for an axis without runs: this saves the time for it.',
    ['if (axis.runs.length === 0 && first <= last)', 'axis.runs.length === 0 && first <= last', 'false'],
    ['if (axis.runs.length === 0 && first <= last)', 'first <= last', 'first < last'],
    ['if (axis.runs.length === 0) return (line) => axis.tail + line;', 'axis.runs.length === 0', 'false'],
    [
      'if (axis.runs.length === 0 && axis.tail === 0) return (position) => position;',
      'axis.runs.length === 0 && axis.tail === 0',
      'false',
    ],
  ),
  ...explained(
    AXIS,
    'The runs behind the last line have nothing of it: this saves the time to look at them.',
    ['if (line > last) break;', 'line > last', 'false'],
  ),
  ...explained(AXIS, 'The middle of a part of the list is always in the list; the types cannot say so.', [
    'if ((spans[middle]?.position ?? 0) <= position) low = middle + 1;',
    'spans[middle]?.position',
    'spans[middle].position',
  ]),
  ...explained(
    REFERENCES,
    'A formula that a step does not concern comes out as it went in: this saves the time to read it.',
    [
      "if (!this.#isConcerned && !formula.includes('!')) return formula;",
      "!this.#isConcerned && !formula.includes('!')",
      'false',
    ],
    ["if (!this.#isConcerned && !formula.includes('!')) return formula;", "'!'", '""'],
    ...['true', 'isLineStep(step) || step.sheet.id === home'].map(
      (replacement): Change => [CONCERNED, 'isLineStep(step) && step.sheet.id === home', replacement],
    ),
    [CONCERNED, 'step.sheet.id === home', 'true'],
  ),
  ...explained(
    REFERENCES,
    'What is remembered is what would come out again: this saves the time, and bounds the memory.',
    ['if (known !== undefined) return known;', 'known !== undefined', 'false'],
    ['this.#followed.set(reference, followed);', 'this.#followed.set(reference, followed);', ';'],
    ...cleared('followed'),
    ['if (known) return known;', 'known', 'false'],
    ['this.#paths.set(prefix, path);', 'this.#paths.set(prefix, path);', ';'],
    ...cleared('paths'),
  ),
  ...explained(
    REFERENCES,
    'Tokens have the same texts whether their places are told or not, and signs belong to numbers or not.',
    [TOKENS, '{ withLocation: false, negativeNumbers: false }', '{}'],
    [TOKENS, 'false', 'true'],
  ),
  ...explained(
    REFERENCES,
    'The library reads whatever it has marked as a reference, with its context; its types cannot say so.',
    ['if (!parsed) return reference;', '!parsed', 'false'],
    ['const path = this.#pathOf(prefix, parsed.context ?? []);', '[]', '["Stryker was here"]'],
  ),
  ...explained(
    REFERENCES,
    'A range without an end on this axis is all of it, which has been passed over before; the types cannot say so.',
    ['const newFirst = first == null ? first : lines[0];', 'first == null', 'false'],
    ['const newLast = last == null ? last : lines[1];', 'last == null', 'false'],
  ),
  ...explained(
    'src/areas/spreadsheets/structure/structure-model.ts',
    'An extent that ends where lines go ends there afterwards.',
    [
      'const shorter = (reached: number) => (reached > at ? Math.max(at, reached - gone) : reached);',
      'reached > at',
      'reached >= at',
    ],
  ),
  ...explained(REFERENCES, 'A range that begins where lines are taken out begins there afterwards.', [
    'const first = from < at ? from : Math.max(from - count, at);',
    'from < at',
    'from <= at',
  ]),
];
