import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Remembers where the person is; the function that it returns tells whether they have stayed there: a late answer leads nobody
 * away from where they have gone meanwhile. A page that is still being loaded counts already.
 */
export function useStay(): () => () => boolean {
  const router = useRouter();
  const now = () => JSON.stringify([router.latestLocation.href, router.latestLocation.state]);
  return () => {
    const begun = now();
    return () => now() === begun;
  };
}

/** As `useStay`, for what belongs to the component: whoever has come back has another one before them. */
export function useStayAt(): () => () => boolean {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const stay = useStay();
  return () => {
    const isStillThere = stay();
    return () => isShown.current && isStillThere();
  };
}
