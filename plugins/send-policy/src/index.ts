export { type DryRun, type DryRunOptions, dryRun } from './dry-run.ts';
export type { MatchAnswer } from './match-rule.ts';
export { sendPolicy } from './send-policy.ts';
export type {
  ChatName,
  OneOrMore,
  SendMatch,
  SendPolicyOptions,
  SendRule,
  TimeWindow,
} from './send-policy-options.ts';
