/**
 * The processor time that the calling thread has used, in milliseconds: unlike the time of day it does not depend on what else
 * the machine does. Node before 23.9 does not tell it; there it is the time of day.
 */
export const processorTimeMs: () => number =
  typeof process.threadCpuUsage === 'function' ? timeOfThreadMs : () => performance.now();

function timeOfThreadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
