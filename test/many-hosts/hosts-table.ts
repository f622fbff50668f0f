import { hostRules, judgeHosts } from './oracle/judge-hosts.ts';
import type { RunResult } from './run-hosts.ts';

/** A rule, and how it was not kept. */
export interface HostCheck {
  readonly what: string;
  readonly faults: readonly string[];
}

/** All that must hold of a run. */
export function checksOf({ seen, crashes }: RunResult): readonly HostCheck[] {
  const { faults } = judgeHosts(seen);
  const rules = Object.entries(hostRules).map(([rule, what]) => ({
    what,
    faults: faults.filter((fault) => fault.rule === rule).map(({ text }) => text),
  }));
  const missing = seen.tasks.length - seen.done.length;
  const all = missing === 0 ? [] : [`${missing} were not`];
  return [
    ...rules,
    { what: 'every message was acknowledged in the end', faults: all },
    { what: 'no host ended by itself', faults: crashes },
  ];
}

/** What happened, and what holds. */
export function formatRun(result: RunResult): string {
  const { seen, kills, cuts, failures, seconds } = result;
  const { entries, messages, paidAgain } = judgeHosts(seen);
  const failed = Object.entries(failures).map(([code, count]) => `${code} ${count}`);
  const checks = checksOf(result).map(({ what, faults }) => {
    const shown = faults.slice(0, 5).map((fault) => `\n        ${fault}`);
    return `  ${faults.length === 0 ? 'holds' : `FAILS ${faults.length} times`}: ${what}${shown.join('')}`;
  });
  return [
    `${seen.done.length} of ${seen.tasks.length} tasks acknowledged, ${messages} messages in ${entries} entries of ${seen.evidence.lastSeqs.size} sessions`,
    `${kills} kills, ${cuts} cuts; given to another host: ${failed.join(', ') || 'none'}`,
    `${seen.calls.length} calls of the model, ${paidAgain} of them again, after a kill or a cut`,
    ...checks,
    `${seconds.toFixed(1)} s`,
  ].join('\n');
}
