import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ApiError, ErrorCode, ErrorDetails } from '../../contract/errors.ts';
import { textBlock } from './answers.ts';

/** The refusal as the protocol has it: the code of the API, and one sentence on what to do next (MCP-17). */
export function refusedResult(error: ApiError, next: string = NEXT[error.code]): CallToolResult {
  const { code } = error;
  const message = shortText(error.message);
  const details = shortDetails(error.details);
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
const NEXT: Readonly<Record<ErrorCode, string>> = {
  validation_failed: 'Correct the arguments that the details name, and call again.',
  invalid_json: 'Give the arguments as one JSON object that names nothing twice, and call again.',
  malformed_request: 'Call again, and tell the person if it is refused once more.',
  filter_required: 'Add one of them and call again.',
  invalid_cursor: 'Call again without a cursor.',
  idempotency_key_required: 'Give an idempotency_key and call again.',
  invalid_idempotency_key: 'Give another idempotency_key, or none.',
  messages_not_in_folder:
    'Leave out those that the details name, or look up with get_message where they are.',
  unsupported_operator: 'Write the condition with another op, such as contains.',
  values_exceed_range: 'Give a range that has room for the values, or its first cell alone.',
  invalid_part_number: 'Read the upload again to see which parts it has.',
  invalid_part_size: 'Read the upload again to see how long this part is.',
  digest_mismatch: 'Send the bytes again with the digest that they have.',
  unauthenticated: 'Ask the person to connect with an API key.',
  invalid_api_key: 'Ask the person to connect with another API key.',
  invalid_sign_in_code: 'Ask the person for a new sign-in code.',
  foreign_site: 'Tell the person that this page must not call the server.',
  insufficient_scope: 'Ask the person for a key with this permission.',
  forbidden: 'Ask the owner for this role.',
  not_found: 'Look its id up with a list or with search.',
  method_not_allowed: 'Look the operation up with find_operation.',
  request_timeout: 'Call again with the same arguments.',
  upload_timeout: 'Send the file as an upload in parts.',
  folder_exists: 'Use the folder that is there.',
  folder_too_deep: 'Choose a parent that lies less deep.',
  folder_not_empty: 'Move what the folder holds elsewhere first.',
  folder_has_role: 'Leave this folder where it is.',
  folder_cycle: 'Choose a parent that is not inside the folder.',
  folder_trashed: 'Restore the folder first with restore_item.',
  upload_finished: 'Use the file whose id the details give.',
  parts_missing: 'Send the parts that the details name, then finish the upload again.',
  resource_busy: 'Look for another time with find_time.',
  last_owner: 'Ask the person to name another owner first.',
  draft_sending: 'Wait a moment, then look in the folder sent whether it has left.',
  email_taken: 'Look with find_people who has the address, or give another one.',
  webhook_stopped: 'Make another webhook instead.',
  cursor_expired: 'Call again without a cursor.',
  upload_expired: 'Begin another upload.',
  upload_aborted: 'Begin another upload.',
  length_required: 'Send the content together with its length.',
  state_mismatch: 'Read it again, and write with the state that you have read then.',
  payload_too_large: 'Ask for less, or send less.',
  file_too_large: 'Tell the person that the file is larger than the server takes.',
  unsupported_media_type: 'Look up with describe_operation which type of content it takes.',
  range_not_satisfiable: 'Ask for a range inside the content, or for all of it.',
  expectation_failed: 'Send the request without the header Expect.',
  workspace_moved: 'Tell the person where the workspace is served now.',
  idempotency_key_reused: 'Give another idempotency_key, or none.',
  unreadable_file: 'Tell the person that it has no text.',
  trashed: 'Restore it first with restore_item.',
  calculation_stopped: 'Read a smaller range, or read it with render formula.',
  no_relay: 'Leave out the addresses outside, or tell the person that this server sends nothing outside.',
  no_recipients: 'Give at least one address in to.',
  unknown_recipient: 'Look the address up with find_people or find_contacts.',
  precondition_required: 'Read it first, and give its state as if_match.',
  rate_limited: 'Wait for as many seconds as retry_after of the details says, and call again.',
  headers_too_large: 'Send the request with shorter headers.',
  internal: 'Call again in a moment with the same arguments.',
  unavailable: 'Call again in a moment with the same arguments.',
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
