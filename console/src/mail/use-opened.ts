import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { linkTo, type Place } from './places.ts';

/** The address has followed by then, or another address was asked for in between. */
const FOLLOWED_MS = 1000;

/**
 * The message that is open in a place. The address follows a moment after it was asked for: until then that which was asked for
 * last is open, for the keys that are pressed meanwhile act on it.
 */
export function useOpened(place: Place, addressed: string | undefined) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<{ id: string | undefined }>();
  useEffect(() => {
    if (asked?.id === addressed) setAsked(undefined);
  }, [asked, addressed]);
  const show = (id: string | undefined, isReplaced = false) => {
    const own = { id };
    setAsked(own);
    const forget = () => setTimeout(() => setAsked((now) => (now === own ? undefined : now)), FOLLOWED_MS);
    void navigate({ ...linkTo(place, id), replace: isReplaced }).then(forget, forget);
  };
  return { opened: asked ? asked.id : addressed, show };
}
