import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { EmptyPlace, ErrorPlace } from '../../parts/place.tsx';
import { FilterEditor } from './filter-editor.tsx';
import { FilterList } from './filter-list.tsx';
import { emptyForm, formOf, formOfMessage, formOfSearch } from './rule.ts';
import { filterTexts } from './texts.ts';
import { useFilters } from './use-filters.ts';

/** `/mail/filters/` lists them, `/mail/filters/new` makes one, of a message or a search in the query, `/mail/filters/<id>` changes one. */
export function FiltersPage() {
  const { _splat: rest = '' } = useParams({ from: '/mail/filters/$' });
  const { message, q } = useSearch({ from: '/mail/filters/$' });
  if (rest === '') return <FilterList />;
  if (rest !== 'new') return <Existing key={rest} id={rest} />;
  if (message !== undefined) return <OfMessage key={message} id={message} />;
  return <OfSearch key={q} q={q ?? ''} />;
}

function OfSearch({ q }: { q: string }) {
  const { form, notTaken } = useMemo(() => (q ? formOfSearch(q) : { form: emptyForm(), notTaken: [] }), [q]);
  return <FilterEditor begun={form} notTaken={notTaken} />;
}

function OfMessage({ id }: { id: string }) {
  const { data, error } = useQuery({ queryKey: ['message', id], queryFn: () => api.mail.getMessage(id) });
  const form = useMemo(() => data && formOfMessage(data), [data]);
  if (error) return <ErrorPlace error={error} />;
  return form ? <FilterEditor begun={form} /> : null;
}

function Existing({ id }: { id: string }) {
  const texts = useTexts(filterTexts);
  const { filters, error, refetch } = useFilters();
  const filter = filters?.find((one) => one.id === id);
  const form = useMemo(() => filter && formOf(filter), [filter]);
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  if (!filters) return null;
  return filter && form ? <FilterEditor filter={filter} begun={form} /> : <EmptyPlace title={texts.gone} />;
}
