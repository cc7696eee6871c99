import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';

/** What the page shows. The root has the folder id "". */
export type Place =
  | { kind: 'folder'; folderId: string }
  | { kind: 'file'; id: string }
  | { kind: 'shared' }
  | { kind: 'trash' }
  | { kind: 'search'; q: string };

/** A place that is a list. */
export type ListPlace = Exclude<Place, { kind: 'file' }>;

/** The place that the address names; what it does not know is the root. */
export function usePlace(): Place {
  const { _splat = '' } = useParams({ from: '/files/$' });
  const { q = '' } = useSearch({ from: '/files/$' });
  return useMemo(() => {
    const [kind = '', id = ''] = _splat.split('/');
    if (kind === 'folder') return { kind, folderId: id };
    if (kind === 'file' && id !== '') return { kind, id };
    if (kind === 'shared' || kind === 'trash') return { kind };
    if (kind === 'search') return { kind, q };
    return { kind: 'folder', folderId: '' };
  }, [_splat, q]);
}

/** The properties of a link to a place. */
export function linkTo(place: Place) {
  return { to: '/files/$', params: { _splat: restOf(place) }, search: queryOf(place) } as const;
}

/** Goes to a place. */
export function useGo(): (place: Place, options?: { replace?: boolean }) => void {
  const navigate = useNavigate();
  return (place, options) => void navigate({ ...linkTo(place), ...options });
}

function restOf(place: Place): string {
  if (place.kind === 'folder') return place.folderId === '' ? '' : `folder/${place.folderId}`;
  return place.kind === 'file' ? `file/${place.id}` : place.kind;
}

function queryOf(place: Place): Record<string, string | undefined> {
  return place.kind === 'search' ? { q: place.q } : {};
}
