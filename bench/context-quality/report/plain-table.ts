import Table from 'cli-table3';

/** A table without lines between its rows. */
export function plainTable(head: readonly string[]): InstanceType<typeof Table> {
  const chars = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };
  return new Table({ head: [...head], chars, style: { head: [], border: [] } });
}
