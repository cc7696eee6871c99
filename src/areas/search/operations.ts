import { Type } from 'typebox';
import { type Operation, reads } from '../../contract/operation.ts';
import { SearchHit, SearchQuery } from './schema.ts';
import type { SearchService } from './search.ts';

export function searchOperations(search: SearchService): Operation[] {
  return [searching(search)];
}

function searching(search: SearchService): Operation {
  return reads({
    id: 'search',
    area: 'Search',
    method: 'GET',
    path: '/v1/search',
    summary: 'Search everything',
    agent: {
      tool: 'search',
      title: 'Search everything',
      hint: 'Words, "phrases", invo*, -not, OR; from: to: subject: filename: in: label: is:unread has:attachment before: after: kind:',
      hasTextOfOthers: true,
    },
    description:
      'Messages, contacts, files, documents and spreadsheets that the caller sees and that match, newest first. What was ' +
      'written is found within two seconds. Trash and junk are found only where in: names them.',
    permissions: [],
    query: SearchQuery,
    answer: Type.Array(SearchHit),
    paging: { default: 25, cap: 100 },
    errors: ['insufficient_scope'],
    prepare: async ({ principal, query, page }) => search.search(principal, query, page),
  });
}
