import { createHost, type ModelPort, type ModelRef, VarveError } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { type ConfigProblem, defaultAgentOf, sessionsOptionsOf, type VarveConfig } from '@varve/sessions/config';
import type { StoreFinding } from '@varve/stores/jsonl';
import { hostOptionsOf } from '../config/host-options-of.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { type ConfigFlags, type OpenedConfig, openConfig } from '../config/open-config.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { saidBy } from './examine-sessions.ts';

/** A configuration, where it could be read, the store to look at, and what was found on the way. */
export interface ExaminedConfig extends OpenedConfig {
  readonly findings: readonly StoreFinding[];
}

/** Reads the configuration. One that cannot be used is a finding a problem; the store is looked at all the same. */
export async function examineConfig(flags: ConfigFlags, io: CliIo): Promise<ExaminedConfig> {
  try {
    const opened = await openConfig(flags, io);
    return { ...opened, findings: opened.loaded === null ? [] : warningsOf(opened.loaded) };
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_CONFIG_INVALID') && !VarveError.is(error, 'VARVE_CONFIG_UNREADABLE')) throw error;
    const opened = await openConfig({ root: flags.root, config: 'none' }, io);
    return { ...opened, findings: problemsOf(error) };
  }
}

function problemsOf(error: VarveError): readonly StoreFinding[] {
  const { file = '', problems } = error.details as {
    readonly file?: string;
    readonly problems?: readonly ConfigProblem[];
  };
  if (problems === undefined) return [{ level: 'error', code: 'config-unreadable', file, ...saidBy(error) }];
  return problems.map(({ path, value, why, fix }) => {
    const text = `${path}${value === null ? '' : ` is ${value}`}: ${why}`;
    return { level: 'error', code: 'config-invalid', file, text, fix };
  });
}

function warningsOf({ warnings, file, form }: LoadedConfig): readonly StoreFinding[] {
  const fix =
    form === 'openclaw'
      ? 'Nothing, if that is meant. A varve.config.json5 says it in the words of Varve.'
      : 'Nothing, if that is meant.';
  return warnings.map(({ path, text }) => ({
    level: 'warning',
    code: 'config-reading',
    file,
    text: `${path}: ${text}`,
    fix,
  }));
}

/** Starts the plugins and conversations of each agent, on a store in memory, and stops them again. Asks no model. */
export async function examineAgents({ config, file }: LoadedConfig): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = [];
  for (const agentId of agentsOf(config)) {
    try {
      await using host = await createHost(hostOptionsOf(config, { agentId, portOf: portWithoutModel }));
      await createSessions({ ...sessionsOptionsOf(config), host }).close();
    } catch (error) {
      findings.push({ level: 'error', code: 'plugins-refused', file, agentId, ...saidBy(error) });
    }
  }
  return findings;
}

function agentsOf(config: VarveConfig): readonly string[] {
  const ids = Object.keys(config.agents ?? {});
  const bound = (config.session?.bindings ?? []).map(({ agentId }) => agentId);
  return [...new Set([...(ids.length === 0 ? [defaultAgentOf(config)] : ids), ...bound])];
}

function portWithoutModel(ref: ModelRef): ModelPort {
  return { ref, generate: () => Promise.reject(new Error('No model is asked while a configuration is examined.')) };
}
