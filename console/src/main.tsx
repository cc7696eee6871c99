import './parts/base.css';
import { createRoot } from 'react-dom/client';
import { Console } from './app/console.tsx';

const container = document.getElementById('console');
if (!container) throw new Error('The page has lost its container');
createRoot(container).render(<Console />);
