/**
 * The processor time that the calling thread has used, in milliseconds: unlike the time of the clock it does not depend on what
 * else the machine does.
 */
export function processorTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
