import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { FailedPage } from './failed-page.tsx';
import { Frame } from './frame.tsx';
import { NoSuchPage } from './no-such-page.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: NoSuchPage });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/mail/$', params: { _splat: 'inbox' } });
  },
});

/** A page reads the rest of its address itself: `/mail/inbox/42` is the page at `/mail/$` with the rest `inbox/42`. */
const mail = createRoute({
  getParentRoute: () => root,
  path: '/mail/$',
  validateSearch: textsOf,
  component: lazyRouteComponent(() => import('../mail/mail-page.tsx'), 'MailPage'),
});

/** `new` begins a draft; its query says to whom, or what it answers. */
const compose = createRoute({
  getParentRoute: () => root,
  path: '/mail/compose/$draftId',
  validateSearch: textsOf,
  component: lazyRouteComponent(() => import('../mail/compose/compose-page.tsx'), 'ComposePage'),
});

const filters = createRoute({
  getParentRoute: () => root,
  path: '/mail/filters/$',
  validateSearch: textsOf,
  component: lazyRouteComponent(() => import('../mail/filters/filters-page.tsx'), 'FiltersPage'),
});

const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts/$',
  validateSearch: textsOf,
  component: lazyRouteComponent(() => import('../contacts/contacts-page.tsx'), 'ContactsPage'),
});

const files = createRoute({
  getParentRoute: () => root,
  path: '/files/$',
  validateSearch: textsOf,
  component: lazyRouteComponent(() => import('../files/files-page.tsx'), 'FilesPage'),
});

/** The addresses of all pages; the script of a page is loaded with its first visit. */
export const router = createRouter({
  routeTree: root.addChildren([home, mail, compose, filters, contacts, files]),
  defaultPreload: 'intent',
  defaultErrorComponent: FailedPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** The query of a page: texts by name, such as `{ q: "invoice" }`. */
function textsOf(search: Record<string, unknown>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  );
}
