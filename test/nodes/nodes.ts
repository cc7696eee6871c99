import type { Logger } from 'pino';
import { openServices, type Services } from '../../src/start/composition.ts';
import type { Config } from '../../src/start/config.ts';
import { type RunningServer, startServer } from '../../src/start/server.ts';
import { startS3 } from '../s3.ts';
import { startBalancer } from './balancer.ts';
import { NODES } from './count.ts';
import { startSmtpBalancer } from './smtp-balancer.ts';

/** A bucket for the nodes of one application, and its setting. */
export async function provideBlobs(): Promise<{ settings: Record<string, string>; stop(): Promise<void> }> {
  const s3 = await startS3();
  Object.assign(process.env, s3.env);
  return { settings: { ATRIUM_BLOBS: s3.blobs }, stop: s3.stop };
}

/** Starts all nodes, the first on these services. */
export async function startNodes(config: Config, services: Services, log: Logger): Promise<RunningServer> {
  const first = await startServer(config, services, log);
  const others: RunningServer[] = [];
  for (let n = 1; n < NODES; n++) others.push(await startServer(config, await openServices(config), log));
  const nodes = [first, ...others];
  const balancer = await startBalancer(nodes.map(({ address }) => address));
  const smtp = await startSmtpBalancer(nodes.flatMap(({ smtpAddress }) => smtpAddress ?? []));
  return {
    address: balancer.address,
    smtpAddress: smtp?.address,
    stop: async (withinMs) => {
      await Promise.all([balancer.stop(), smtp?.stop()]);
      await Promise.all(nodes.map((node) => node.stop(withinMs)));
    },
  };
}
