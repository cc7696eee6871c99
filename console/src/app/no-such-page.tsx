import { Link } from '@tanstack/react-router';
import { EmptyPlace } from '../parts/place.tsx';
import { frameTexts } from './frame-texts.ts';
import { useTexts } from './texts.ts';

export function NoSuchPage() {
  const texts = useTexts(frameTexts);
  return (
    <EmptyPlace title={texts.noSuchPage}>
      <Link to="/mail/$" params={{ _splat: 'inbox' }}>
        {texts.toMail}
      </Link>
    </EmptyPlace>
  );
}
