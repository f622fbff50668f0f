/** Prints a table of what a test observed when `VARVE_PRINT=1` is set. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const { VARVE_PRINT } = process.env;
  if (VARVE_PRINT !== '1') return;
  const widths = head.map((_title, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const lines = [head, widths.map((width) => '-'.repeat(width)), ...rows].map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | '),
  );
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
