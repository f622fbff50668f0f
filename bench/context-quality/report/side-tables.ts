import type { Calibration } from '../checks/calibrate-cache.ts';
import { type ChangedRow, changedFigures } from '../checks/check-changes.ts';
import type { PrefixCheck } from '../checks/check-prefix.ts';
import type { Survival } from '../checks/compaction-survival.ts';
import { plainTable } from './plain-table.ts';
import { percent, short } from './quality-table.ts';

/** Recorded hit rates beside those of the simulated cache. Empty for none. */
export function calibrationTable(rows: readonly Calibration[]): string {
  return titled('The simulated cache against what the files report, for the whole history', {
    head: ['session', 'requests', 'life', 'recorded hits', 'simulated hits'],
    rows: rows.map(({ trajectory, requests, life, recorded, simulated }) => [
      trajectory,
      String(requests),
      life,
      percent(recorded),
      percent(simulated),
    ]),
  });
}

/** What summaries keep of what is needed next. Empty for none. */
export function survivalTable(rows: readonly Survival[]): string {
  return titled('Identifiers needed in the next 40 steps that survive a compaction', {
    head: ['summary', 'tokens asked for', 'tokens', 'cuts', 'needs', 'survive'],
    rows: rows
      .filter(({ needs }) => needs > 0)
      .map(({ method, budget, tokens, cuts, needs, share }) => [
        method,
        String(budget),
        tokens.toFixed(0),
        String(cuts),
        String(needs),
        percent(share),
      ]),
  });
}

/** Figures of changed conversations beside those of the conversations as they are. Empty for none. */
export function changesTable(rows: readonly ChangedRow[]): string {
  return titled('The same conversations with something changed: as they are → changed, %', {
    head: ['set', 'strategy', 'change', ...changedFigures],
    rows: rows.map(({ change, plain, changed }) => [
      `${plain.set} ${short(plain.budget)}`,
      plain.strategy,
      change,
      ...changedFigures.map((name) =>
        plain[name] === null ? percent(null) : `${percent(plain[name])} → ${percent(changed[name])}`,
      ),
    ]),
  });
}

/** Prompts that were made twice, by strategy. Empty for none. */
export function prefixTable(checks: readonly PrefixCheck[]): string {
  const strategies = [...new Set(checks.map(({ strategy }) => strategy))];
  return titled('Requests made again from a file that ends before them', {
    head: ['strategy', 'conversations', 'requests', 'different'],
    rows: strategies.map((strategy) => {
      const own = checks.filter((one) => one.strategy === strategy);
      const different = own.flatMap((one) => one.different.map((turn) => `${one.trajectory} turn ${turn}`));
      const requests = own.reduce((sum, { checked }) => sum + checked, 0);
      const conversations = new Set(own.map(({ trajectory }) => trajectory)).size;
      return [strategy, String(conversations), String(requests), different.length === 0 ? '0' : different.join(', ')];
    }),
  });
}

function titled(
  title: string,
  { head, rows }: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] },
): string {
  if (rows.length === 0) return '';
  const table = plainTable(head);
  for (const row of rows) table.push([...row]);
  return `${title}\n${table.toString()}`;
}
