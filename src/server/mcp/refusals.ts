import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ApiError, ErrorCode, ErrorDetails } from '../../contract/errors.ts';
import { textBlock } from './answers.ts';

/** The refusal as the protocol has it: the code of the API, and one sentence on what to do next (MCP-17). */
export function refusedResult(error: ApiError): CallToolResult {
  const { code } = error;
  const message = shortText(error.message);
  const details = shortDetails(error.details);
  const next = NEXT[code] ?? 'Do not repeat the call as it is.';
  return {
    isError: true,
    content: [textBlock(`${code}: ${message} ${next}`)],
    structuredContent: { error: { code, message, details, next } },
  };
}

/** What a person has declined: nothing is done. */
export function declinedResult(): CallToolResult {
  return {
    isError: true,
    content: [
      textBlock('The person has declined. Nothing was done; do not try again unless they ask for it.'),
    ],
    structuredContent: { declined: true },
  };
}

/** What an agent does next after a refusal, by its code. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  validation_failed: 'Correct the arguments that the details name, and call again.',
  filter_required: 'Add one of them and call again.',
  invalid_cursor: 'Call again without a cursor.',
  cursor_expired: 'Call again without a cursor.',
  insufficient_scope: 'Ask the person for a key with this permission.',
  forbidden: 'Ask the owner for this role.',
  not_found: 'Look its id up with a list or with search.',
  state_mismatch: 'Read it again, and write with the state that you have read then.',
  precondition_required: 'Read it first, and give its state as if_match.',
  resource_busy: 'Look for another time with find_time.',
  rate_limited: 'Wait for as many seconds as retry_after of the details says, and call again.',
  unavailable: 'Call again in a moment with the same arguments.',
  internal: 'Call again in a moment with the same arguments.',
  request_timeout: 'Call again with the same arguments.',
  idempotency_key_reused: 'Give another idempotency_key, or none.',
  invalid_idempotency_key: 'Give another idempotency_key, or none.',
  payload_too_large: 'Ask for less, or send less.',
  unreadable_file: 'Tell the person that it has no text.',
  unknown_recipient: 'Look the address up with find_people or find_contacts.',
  no_recipients: 'Give at least one address in to.',
  folder_exists: 'Use the folder that is there.',
  trashed: 'Restore it first with restore_item.',
  folder_trashed: 'Restore the folder first with restore_item.',
  quota_exceeded: 'Tell the person that there is no room.',
};

/** Characters of details at most, as JSON: a refusal is no longer than an answer, and has more than these (MCP-16). */
const MOST_OF_DETAILS = 40_000;
/** Entries of a list in details. */
const MOST_ENTRIES = 50;
/** Characters of a text. */
const LONGEST_TEXT = 500;

/** How much of details is shown. */
interface Limits {
  entries: number;
  characters: number;
}

/** A text that a caller may have made as long as a body can be, as long as an agent need read it. */
export function shortText(text: string, longest = LONGEST_TEXT): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

/**
 * Details with the first entries of their lists, and beside a list that is cut how many more it has. What has many
 * characters that JSON escapes is cut shorter.
 */
function shortDetails(details: ErrorDetails): ErrorDetails {
  for (let limits = { entries: MOST_ENTRIES, characters: LONGEST_TEXT }; ; ) {
    const short = shortened(details, limits) as ErrorDetails;
    const isLeast = limits.entries === 1 && limits.characters === 1;
    if (isLeast || JSON.stringify(short).length <= MOST_OF_DETAILS) return short;
    limits = { entries: half(limits.entries), characters: half(limits.characters) };
  }
}

function half(count: number): number {
  return Math.max(1, Math.floor(count / 2));
}

function shortened(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return shortText(value, limits.characters);
  if (Array.isArray(value)) return value.slice(0, limits.entries).map((entry) => shortened(entry, limits));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).slice(0, limits.entries);
  return Object.fromEntries(
    members.flatMap(([name, member]) => [
      [name, shortened(member, limits)],
      ...(Array.isArray(member) && member.length > limits.entries
        ? [[`more_${name}`, member.length - limits.entries]]
        : []),
    ]),
  );
}
