import type { HttpServer } from '../http-server.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { registerAssets } from './assets.ts';
import { registerServiceWorker } from './service-worker.ts';
import { type ConsoleServices, registerSessions } from './sessions.ts';
import { registerTickets } from './tickets.ts';

/** Serves what the console needs beside /v1: sessions, tickets, scripts, styles, and the script that keeps the page. */
export function registerConsole(
  server: HttpServer,
  dependencies: ServerDependencies,
  services: ConsoleServices,
): void {
  registerSessions(server, dependencies, services);
  registerTickets(server, dependencies, services.keys);
  registerAssets(server);
  registerServiceWorker(server);
}
