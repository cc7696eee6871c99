import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import type { MailService } from '../service.ts';
import { applyFilter, findToApply } from './apply-filter.ts';
import {
  changeFilter,
  createFilter,
  deleteFilter,
  filterRecord,
  getFilter,
  pageOfFilters,
} from './filters.ts';
import { findMatching, getPreview } from './folder-scan.ts';
import { ruleProblems } from './rule-problems.ts';
import {
  Applied,
  ApplyRequest,
  MailFilter,
  MailFilterChanges,
  NewMailFilter,
  Preview,
  PreviewRequest,
} from './schema.ts';

const area = 'Mail';
const ByFilter = Type.Object({
  id: Type.String({ description: 'The filter.', examples: ['flt_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function filterOperations(mail: MailService): Operation[] {
  return [...reading(), previewing(mail), applying(mail), ...writing()];
}

function reading(): Operation[] {
  return [
    reads({
      id: 'listMailFilters',
      area,
      method: 'GET',
      path: '/v1/mail/filters',
      summary: 'List mail filters',
      description: 'In the order in which they run: by priority, equal priorities by creation.',
      permissions: ['mail.settings.read'],
      paging: { default: 25, cap: 100 },
      answer: Type.Array(MailFilter),
      handle: (tx, { principal, page }) => pageOfFilters(tx, principal, page),
    }),
    reads({
      id: 'getMailFilter',
      area,
      method: 'GET',
      path: '/v1/mail/filters/:id',
      summary: 'Get a mail filter',
      permissions: ['mail.settings.read'],
      params: ByFilter,
      answer: MailFilter,
      handle: async (tx, { principal, params }) => filterRecord(await getFilter(tx, principal, params.id)),
    }),
  ];
}

function writing(): Operation[] {
  return [
    writes({
      id: 'createMailFilter',
      area,
      method: 'POST',
      path: '/v1/mail/filters',
      summary: 'Create a mail filter',
      agent: {
        tool: 'save_filter',
        title: 'Save a mail filter',
        hint: 'Without id, a new filter for mail that arrives. Preview it first.',
      },
      description: RUNNING,
      permissions: ['mail.settings.write'],
      body: NewMailFilter,
      emits: ['filter.created'],
      status: 201,
      answer: MailFilter,
      errors: ['unsupported_operator', 'quota_exceeded'],
      check: (_input, sent) => ruleProblems(sent),
      handle: (tx, { principal, body }) => createFilter(tx, principal, body),
    }),
    writes({
      id: 'updateMailFilter',
      area,
      method: 'PUT',
      path: '/v1/mail/filters/:id',
      summary: 'Change a mail filter',
      agent: {
        tool: 'save_filter',
        title: 'Save a mail filter',
        hint: 'With id, changes one.',
        isDestructive: true,
      },
      description: 'Replaces the fields that are sent; the rule as a whole.',
      permissions: ['mail.settings.write'],
      params: ByFilter,
      body: MailFilterChanges,
      emits: ['filter.changed'],
      answer: MailFilter,
      errors: ['unsupported_operator', 'quota_exceeded'],
      check: (_input, sent) => ruleProblems(sent),
      handle: (tx, { principal, params, body }) => changeFilter(tx, principal, params.id, body),
    }),
    writes({
      id: 'deleteMailFilter',
      area,
      method: 'DELETE',
      path: '/v1/mail/filters/:id',
      summary: 'Delete a mail filter',
      description: 'Messages keep what the filter did to them, and their record of it.',
      permissions: ['mail.settings.write'],
      params: ByFilter,
      emits: ['filter.deleted'],
      status: 204,
      handle: (tx, { principal, params }) => deleteFilter(tx, principal, params.id),
    }),
  ];
}

const RUNNING =
  'Filters run over mail that arrives, not over what is appended or imported. Matching ignores case. Conditions on ' +
  'from, to and cc look at "Name <address>", decoded, and at the bare address; on body at the decoded plain text, ' +
  'with or without the white space around it, and at HTML without its tags, as far as the message record shows them; ' +
  'on header:<name> at the decoded value of each such field. A mailbox has at most 2,000 filters, whose rules are at ' +
  'most 2,000,000 characters of JSON together.';

function previewing(mail: MailService): Operation {
  return reads({
    id: 'previewMailFilter',
    area,
    method: 'POST',
    path: '/v1/mail/filters/preview',
    summary: 'Preview a mail filter',
    agent: {
      tool: 'preview_filter',
      title: 'Preview a mail filter',
      hint: 'What a rule would do to stored mail. Changes nothing.',
      hasTextOfOthers: true,
    },
    description:
      'Which of the mail already there a rule would match, newest first. Changes nothing; an Idempotency-Key is accepted and ignored.',
    permissions: ['mail.settings.read'],
    body: PreviewRequest,
    answer: Preview,
    errors: ['unsupported_operator', 'not_found'],
    check: (_input, sent) => ruleProblems(sent),
    prepare: ({ principal, body }) => findMatching(mail.dependencies, principal, body),
    handle: (tx, { principal, body }, found) => getPreview(tx, principal, body.folder_id, found),
  });
}

function applying(mail: MailService): Operation {
  return writes({
    id: 'applyMailFilter',
    area,
    method: 'POST',
    path: '/v1/mail/filters/:id/apply',
    summary: 'Apply a mail filter to a folder',
    description:
      'Runs one filter, enabled or not, over the mail that a folder holds: all that match are changed, or none. ' +
      'discard moves to the trash folder. The folder is read before anything is changed, which takes a while when it ' +
      'is large: what comes in meanwhile is not looked at, and what has left it stays as it is.',
    permissions: ['mail.settings.write'],
    params: ByFilter,
    body: ApplyRequest,
    emits: ['message.changed', 'message.moved', 'folder.created'],
    answer: Applied,
    prepare: ({ principal, params, body }) =>
      findToApply(mail.dependencies, principal, { filterId: params.id, folderId: body.folder_id }),
    handle: (tx, { principal, params, body }, matched) =>
      applyFilter(tx, principal, { filterId: params.id, folderId: body.folder_id }, matched),
  });
}
