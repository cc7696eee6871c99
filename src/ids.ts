// Migrations, of which no byte changes once they are released, import the ids from here; all else from the platform.
export { newId } from './platform/ids.ts';
