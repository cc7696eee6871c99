/**
 * The closed table of error codes. Callers branch on the code; the status follows from it.
 * `when` is shown in the reference.
 */
export const ERRORS = {
  validation_failed: {
    status: 400,
    when: 'Body, path or query are off; details.errors lists every problem, or the first 1,000: its pointer (into the body) or parameter, code and message. A body of more than 10,000 members or 300,000 values is not looked into.',
  },
  invalid_json: {
    status: 400,
    when: 'The body is not JSON, gives a key twice in one object, or nests deeper than 1,000 levels.',
  },
  malformed_request: { status: 400, when: 'The request is not HTTP that the server can read.' },
  filter_required: { status: 400, when: 'A message list without folder_id, flag, label and unread.' },
  invalid_cursor: {
    status: 400,
    when: 'The cursor never decoded, or was made for another listing, filter or user; details.reason tells which.',
  },
  idempotency_key_required: { status: 400, when: 'A write without the header Idempotency-Key.' },
  invalid_idempotency_key: {
    status: 400,
    when: 'The Idempotency-Key is not 1 to 255 visible ASCII characters.',
  },
  messages_not_in_folder: {
    status: 400,
    when: 'details.message_ids are not in the folder of the path; nothing was changed.',
  },
  unsupported_operator: { status: 400, when: 'A filter condition with the reserved op regex.' },
  values_exceed_range: { status: 400, when: 'The values do not fit the range.' },
  invalid_part_number: { status: 400, when: 'The part number is outside the upload.' },
  invalid_part_size: { status: 400, when: 'The part is not as long as its place in the upload asks.' },
  digest_mismatch: { status: 400, when: 'The bytes do not have the announced digest.' },
  unauthenticated: { status: 401, when: 'No API key was sent.' },
  invalid_api_key: {
    status: 401,
    when: 'The API key is unknown, revoked or expired, or its user is suspended.',
  },
  invalid_sign_in_code: {
    status: 401,
    when: 'The sign-in code is unknown, was used, or is older than ten minutes, or who made it has ended.',
  },
  foreign_site: {
    status: 403,
    when: 'The request does not come from a page of this server: Sec-Fetch-Site is not same-origin, or Origin is another.',
  },
  insufficient_scope: {
    status: 403,
    when: 'The key lacks the permission that details.missing_permission names.',
  },
  forbidden: {
    status: 403,
    when: 'The role of the caller on the object is too low; details.required_role names the one that is needed.',
  },
  not_found: { status: 404, when: 'Nothing here, or nothing that the caller may see.' },
  method_not_allowed: { status: 405, when: 'The path exists, the method on it does not; see Allow.' },
  request_timeout: { status: 408, when: 'The request did not arrive in time.' },
  upload_timeout: { status: 408, when: 'A single-request upload took over 100 seconds.' },
  folder_exists: { status: 409, when: 'The parent has a folder of this name already.' },
  folder_too_deep: { status: 409, when: 'Folders lie in each other to a depth of 100 at most.' },
  folder_not_empty: { status: 409, when: 'Only an empty folder is deleted: it holds messages or folders.' },
  folder_has_role: { status: 409, when: 'A folder with a role is not deleted.' },
  folder_cycle: { status: 409, when: 'A folder cannot be moved below itself.' },
  folder_trashed: { status: 409, when: 'The folder is in the trash.' },
  upload_finished: { status: 409, when: 'The upload is finished; details.file_id is the file.' },
  parts_missing: { status: 409, when: 'Parts have not arrived yet; details.missing_parts lists them.' },
  resource_busy: { status: 409, when: 'The room or equipment is taken at that time.' },
  last_owner: { status: 409, when: 'The last active owner of the workspace cannot be suspended.' },
  draft_sending: { status: 409, when: 'The draft is being sent; read it again when that has ended.' },
  email_taken: { status: 409, when: 'The address belongs to a user already; details.email.' },
  webhook_stopped: {
    status: 409,
    when: 'The API key that made the webhook has ended, and the webhook with it; make another one.',
  },
  cursor_expired: { status: 410, when: 'The cursor is too old; start the listing again.' },
  upload_expired: { status: 410, when: 'The upload was not finished in time.' },
  upload_aborted: { status: 410, when: 'The upload was aborted.' },
  length_required: { status: 411, when: 'The request needs a Content-Length.' },
  state_mismatch: { status: 412, when: 'The content has changed since; details.state is the present state.' },
  payload_too_large: { status: 413, when: 'The body is larger than the operation takes.' },
  file_too_large: { status: 413, when: 'The file is larger than the server takes.' },
  unsupported_media_type: { status: 415, when: 'The Content-Type is not one that the operation takes.' },
  range_not_satisfiable: { status: 416, when: 'The range lies outside the content.' },
  expectation_failed: { status: 417, when: 'The Expect header asks for what the server does not do.' },
  workspace_moved: {
    status: 421,
    when: 'The workspace is served by another installation now; details.location says where, or is null.',
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The Idempotency-Key was used for another request; use a new one for each write.',
  },
  unreadable_file: { status: 422, when: 'The source file does not hold what it is to be filled with.' },
  trashed: { status: 422, when: 'The document is in the trash; restore it first.' },
  calculation_stopped: {
    status: 422,
    when: 'The formulas need more time or memory than they may have; render=formula shows them all the same.',
  },
  no_relay: { status: 422, when: 'A recipient is elsewhere and no relay is set; nothing was sent.' },
  no_recipients: { status: 422, when: 'The draft names nobody in to, cc and bcc; it stays as it is.' },
  unknown_recipient: { status: 422, when: 'A recipient in an own domain does not exist; nothing was sent.' },
  precondition_required: { status: 428, when: 'The operation needs If-Match, with the state that was read.' },
  rate_limited: {
    status: 429,
    when: 'Too many requests of this user, over all of their keys; wait for the seconds of Retry-After.',
  },
  headers_too_large: { status: 431, when: 'The request line and its headers are too large.' },
  internal: { status: 500, when: 'A fault of the server; the request id finds it in the log.' },
  unavailable: {
    status: 503,
    when: 'The storage cannot serve now, or too much of the caller waits already; try again, with the same Idempotency-Key.',
  },
  quota_exceeded: {
    status: 507,
    when: 'There is no room for what is to be stored: a disk of the server is full, or the user has as many as may be. Nothing was stored.',
  },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorDetails = Record<string, unknown>;

/** A refusal in the common shape: `{"error":{"code","message","details"}}`. The message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/**
 * The refusal for an object that is unknown, of the wrong kind or not visible: clients cannot distinguish the three.
 */
export function notFound(resource: string, id: string): ApiError {
  return new ApiError('not_found', `There is no ${resource.replaceAll('_', ' ')} with this id.`, {
    resource,
    id,
  });
}

/** The refusal of what concerns a workspace that another installation serves; `location`: where, if anybody has said so. */
export function workspaceMoved(location: string | null): ApiError {
  const message =
    location === null
      ? 'The workspace has moved to another installation. Ask its operator where it is.'
      : `The workspace has moved to ${location}. Ask there, with the same API key.`;
  return new ApiError('workspace_moved', message, { location });
}

/** The refusal of a key that lacks a permission. */
export function missingPermission(permission: string): ApiError {
  return new ApiError('insufficient_scope', `The API key lacks the permission ${permission}.`, {
    missing_permission: permission,
  });
}

/** The refusal of a body that is, or is announced to be, over its limit in bytes. */
export function bodyTooLarge(maxSize: number): ApiError {
  return new ApiError('payload_too_large', `The body is over ${maxSize} bytes.`, { max_size: maxSize });
}

/** The refusal of a method on a path that accepts other methods. */
export function methodNotAllowed(method: string, allow: readonly string[]): ApiError {
  const others = allow.length > 1 ? `${allow.slice(0, -1).join(', ')} and ${allow.at(-1)}` : allow[0];
  const message = `This path takes ${others}, not ${method}.`;
  return new ApiError('method_not_allowed', message, { allow });
}

/** The refusal of a path that belongs to no operation. */
export function noSuchRoute(method: string, path: string): ApiError {
  return new ApiError('not_found', `There is no ${method} ${path}.`, { resource: 'route', id: path });
}
