/**
 * Milliseconds of the processor, of all threads: what collecting rubbish costs beside is a part of it, and other work that
 * the machine has to do is not.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
