import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ErrorPlace } from '../parts/place.tsx';
import { useFolders } from './folders.ts';
import { messageQuery } from './mail-cache.ts';
import { Mailbox } from './mailbox.tsx';
import { addressOf, linkTo, placeOfFolder } from './places.ts';

/** The mail page; the rest of its address says what it shows (places.ts). */
export function MailPage() {
  const { _splat = '' } = useParams({ from: '/mail/$' });
  const query = useSearch({ from: '/mail/$' });
  const address = addressOf(_splat, query);
  if ('message' in address) return <MessageAlone id={address.message} />;
  return <Mailbox key={JSON.stringify(address.place)} {...address} />;
}

/** Goes to a message in its folder. */
function MessageAlone({ id }: { id: string }) {
  const navigate = useNavigate();
  const folders = useFolders();
  const message = useQuery(messageQuery(id));
  const folder = folders.find((one) => one.id === message.data?.folder_id);
  useEffect(() => {
    if (folder) void navigate({ ...linkTo(placeOfFolder(folder), id), replace: true });
  }, [folder, id, navigate]);
  if (message.error) return <ErrorPlace error={message.error} onRetry={() => void message.refetch()} />;
  return null;
}
